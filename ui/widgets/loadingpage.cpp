// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/loadingpage.h"

#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/pieces.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QVBoxLayout>

namespace tuneline::ui {

LoadingPage::LoadingPage(QWidget *parent)
    : QWidget(parent)
    , m_title(new ElidedLabel)
    , m_detail(new ElidedLabel)
    , m_stage(makeLabel({}, TextRole::Body, "muted"))
    , m_bar(new QProgressBar)
    , m_cancel(makeButton(tr("Cancel")))
{
    m_title->setFont(Theme::font(TextRole::Heading));
    m_detail->setMuted(true);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress"));
    m_cancel->setShortcut(Qt::Key_Escape);
    auto *box = new QVBoxLayout;
    box->setSpacing(kSpace);
    box->addWidget(m_title);
    box->addWidget(m_detail);
    box->addWidget(m_bar);
    auto *bottom = new QHBoxLayout;
    bottom->addWidget(m_stage, 1);
    bottom->addWidget(m_cancel);
    box->addLayout(bottom);
    QFrame *card = makeFrame("card", box, kSpace * 3);
    card->setFixedWidth(520);
    auto *column = new QVBoxLayout(this);
    column->addStretch(2);
    column->addWidget(card, 0, Qt::AlignHCenter);
    column->addStretch(3);
    connect(m_cancel, &QPushButton::clicked, this, &LoadingPage::cancelled);
}

void LoadingPage::begin(const QString &title, const QString &detail)
{
    m_title->setText(title);
    m_detail->setText(detail);
    setProgress(0, tr("Reading"));
    m_cancel->setFocus();
}

void LoadingPage::setProgress(int permille, const QString &stage)
{
    m_bar->setValue(permille);
    m_stage->setText(tr("%1 · %2 %").arg(stage).arg(permille / 10));
}

} // namespace tuneline::ui
