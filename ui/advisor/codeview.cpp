// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/advisor/codeview.h"

#include "ui/advisor/codehighlighter.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/pieces.h"
#include "ui/widgets/preferences.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTabBar>
#include <QTimer>

namespace tuneline::ui {

namespace {
constexpr int kMaxLines = 18; // shown without scrolling
constexpr int kCopiedMs = 1500; // how long the button says that it worked
} // namespace

CodeView::CodeView(const QString &cpp, const QString &python, QWidget *parent)
    : QTabWidget(parent)
    , m_copy(makeToolButton("copy", tr("Copy the code")))
{
    setDocumentMode(true);
    tabBar()->setExpanding(false);
    tabBar()->setDrawBase(false);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    addCode("C++", cpp);
    addCode("Python", python);
    setCornerWidget(m_copy);
    const QString last = preferences::text("codeLanguage", "C++");
    for (int i = 0; i < count(); ++i) {
        if (tabText(i) == last)
            setCurrentIndex(i);
    }
    connect(m_copy, &QToolButton::clicked, this, &CodeView::copy);
    connect(this, &QTabWidget::currentChanged, this, [this](int tab) {
        preferences::setText("codeLanguage", tabText(tab));
        fitHeight();
    });
    fitHeight();
}

void CodeView::addCode(const QString &title, const QString &code)
{
    if (code.isEmpty())
        return;
    auto *edit = new QPlainTextEdit(code.trimmed());
    edit->setReadOnly(true);
    edit->setProperty("role", "code");
    edit->setFont(Theme::font(TextRole::Mono));
    edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    if (edit->document()->blockCount() <= kMaxLines)
        edit->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    edit->setTabChangesFocus(true);
    edit->setAccessibleName(tr("%1 code of the fix").arg(title));
    new CodeHighlighter(edit->document(),
                        title == "C++" ? CodeHighlighter::Language::Cpp : CodeHighlighter::Language::Python);
    addTab(edit, title);
}

QString CodeView::currentCode() const
{
    const auto *edit = qobject_cast<QPlainTextEdit *>(currentWidget());
    return edit ? edit->toPlainText() : QString();
}

void CodeView::copy()
{
    QGuiApplication::clipboard()->setText(currentCode());
    m_copy->setIcon(icon("check", IconTone::Good));
    m_copy->setToolTip(tr("Copied"));
    QTimer::singleShot(kCopiedMs, m_copy, [button = m_copy] {
        button->setIcon(icon("copy"));
        button->setToolTip(tr("Copy the code"));
    });
    emit copied(currentCode());
}

void CodeView::resizeEvent(QResizeEvent *event)
{
    QTabWidget::resizeEvent(event);
    fitHeight(); // whether lines are cut, and so a scroll bar is needed, depends on the width
}

void CodeView::fitHeight()
{
    const auto *edit = qobject_cast<QPlainTextEdit *>(currentWidget());
    if (!edit)
        return;
    const int lines = qMin(edit->document()->blockCount(), kMaxLines);
    int text = QFontMetrics(edit->font()).lineSpacing() * lines + 16;
    const int widest = static_cast<int>(edit->document()->idealWidth());
    if (widest > edit->viewport()->width())
        text += edit->horizontalScrollBar()->sizeHint().height();
    setFixedHeight(tabBar()->sizeHint().height() + text + 4);
}

} // namespace tuneline::ui
