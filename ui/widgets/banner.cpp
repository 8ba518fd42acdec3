// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/banner.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/pieces.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace tuneline::ui {

namespace {

struct Look
{
    const char *tone;
    const char *icon;
    IconTone iconTone;
};

Look lookOf(BannerKind kind)
{
    switch (kind) {
    case BannerKind::Good:
        return {"good", "check", IconTone::Good};
    case BannerKind::Warning:
        return {"warn", "warning", IconTone::Warn};
    case BannerKind::Error:
        return {"bad", "error", IconTone::Bad};
    case BannerKind::Info:
        break;
    }
    return {"info", "info", IconTone::Accent};
}

} // namespace

Banner::Banner(QWidget *parent)
    : QFrame(parent)
    , m_icon(new QLabel)
    , m_title(makeWrapped({}, TextRole::Strong))
    , m_text(makeWrapped({}))
    , m_actions(new QHBoxLayout)
{
    setProperty("role", "banner");
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(kSpace + 2, kSpace, kSpace + 2, kSpace);
    row->setSpacing(kSpace);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    auto *texts = new QVBoxLayout;
    texts->setSpacing(2);
    texts->addWidget(m_title);
    texts->addWidget(m_text);
    row->addLayout(texts, 1);
    m_actions->setSpacing(kSpace / 2);
    row->addLayout(m_actions);
    setVisible(false);
}

void Banner::show(BannerKind kind, const QString &title, const QString &text)
{
    m_kind = kind;
    const Look look = lookOf(kind);
    m_icon->setPixmap(iconPixmap(look.icon, look.iconTone, 16, devicePixelRatioF()));
    m_title->setText(title);
    m_text->setText(text);
    m_title->setVisible(!title.isEmpty());
    m_text->setVisible(!text.isEmpty());
    setAccessibleName(title);
    setAccessibleDescription(text);
    setTone(this, look.tone);
    setVisible(true);
}

QPushButton *Banner::addAction(const QString &text)
{
    QPushButton *button = makeButton(text);
    m_actions->addWidget(button, 0, Qt::AlignVCenter);
    return button;
}

void Banner::clearActions()
{
    while (QLayoutItem *item = m_actions->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

QString Banner::title() const
{
    return m_title->text();
}

QString Banner::text() const
{
    return m_text->text();
}

} // namespace tuneline::ui
