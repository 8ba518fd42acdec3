// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/collapsible.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/pieces.h"

#include <QVBoxLayout>

namespace tuneline::ui {

Collapsible::Collapsible(const QString &title, QWidget *content, bool open, QWidget *parent)
    : QWidget(parent)
    , m_heading(new QToolButton)
    , m_content(content)
{
    m_heading->setText(title);
    m_heading->setFont(Theme::font(TextRole::Strong));
    m_heading->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_heading->setIconSize({12, 12});
    m_heading->setCheckable(true);
    m_heading->setProperty("role", "heading");
    // The heading must not decide how wide the column is.
    m_heading->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_heading->setMinimumWidth(80);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpace / 2);
    column->addWidget(m_heading);
    column->addWidget(content);
    connect(m_heading, &QToolButton::toggled, this, &Collapsible::setOpen);
    setOpen(open);
}

void Collapsible::setOpen(bool open)
{
    m_heading->setChecked(open);
    m_heading->setIcon(icon(open ? "down" : "next", IconTone::Muted));
    m_content->setVisible(open);
}

bool Collapsible::isOpen() const
{
    return m_heading->isChecked();
}

} // namespace tuneline::ui
