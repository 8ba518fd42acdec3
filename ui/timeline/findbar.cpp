// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/findbar.h"

#include "ui/models/eventtext.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace tuneline::ui {

namespace {

QToolButton *button(FindBar *bar, Qt::ArrowType arrow, const QString &tip)
{
    auto *made = new QToolButton(bar);
    made->setArrowType(arrow);
    made->setAutoRaise(true);
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setEnabled(false);
    return made;
}

} // namespace

FindBar::FindBar(QWidget *parent)
    : QWidget(parent)
    , m_text(new QLineEdit(this))
    , m_status(new QLabel(this))
    , m_previous(button(this, Qt::UpArrow, tr("Previous match (Shift+F3)")))
    , m_next(button(this, Qt::DownArrow, tr("Next match (F3)")))
{
    static constexpr int kPauseMs = 150;
    m_text->setPlaceholderText(tr("Find events by name"));
    m_text->setClearButtonEnabled(true);
    m_text->setMaximumWidth(360);
    m_text->installEventFilter(this);
    auto *close = new QToolButton(this);
    close->setText(QStringLiteral("✕"));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close (Esc)"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 3, 6, 3);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_previous);
    layout->addWidget(m_next);
    layout->addWidget(m_status);
    layout->addStretch();
    layout->addWidget(close);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    connect(m_text, &QLineEdit::textChanged, this, [this] { m_pause.start(); });
    connect(&m_pause, &QTimer::timeout, this, [this] { emit textEdited(m_text->text()); });
    connect(m_previous, &QToolButton::clicked, this, &FindBar::previousRequested);
    connect(m_next, &QToolButton::clicked, this, &FindBar::nextRequested);
    connect(close, &QToolButton::clicked, this, &FindBar::closed);
}

void FindBar::start()
{
    show();
    m_text->setFocus();
    m_text->selectAll();
}

void FindBar::setText(const QString &text)
{
    if (m_text->text() == text)
        return;
    const QSignalBlocker quiet(m_text); // the caller knows it already
    m_text->setText(text);
}

void FindBar::setSearching()
{
    m_status->setText(tr("searching …"));
}

void FindBar::setResult(qsizetype current, qsizetype matches)
{
    m_previous->setEnabled(matches > 0);
    m_next->setEnabled(matches > 0);
    if (m_text->text().isEmpty())
        m_status->clear();
    else if (matches == 0)
        m_status->setText(tr("nothing found"));
    else if (current == 0)
        m_status->setText(tr("%1 found").arg(countText(static_cast<std::uint64_t>(matches))));
    else
        m_status->setText(
            tr("%1 of %2")
                .arg(countText(static_cast<std::uint64_t>(current)), countText(static_cast<std::uint64_t>(matches))));
}

// Return and Esc mean something else in the timeline (its actions are shortcuts of the whole widget); here they are
// ours.
bool FindBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_text && event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Escape) {
            event->accept();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void FindBar::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        emit closed();
    } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (event->modifiers() & Qt::ShiftModifier)
            emit previousRequested();
        else
            emit nextRequested();
    } else {
        QWidget::keyPressEvent(event);
    }
}

} // namespace tuneline::ui
