// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/helppage.h"

#include "ui/widgets/pieces.h"

#include <QFile>
#include <QHBoxLayout>
#include <QListWidget>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextTable>
#include <QVBoxLayout>

namespace tuneline::ui {

namespace {
constexpr int kTextWidth = 820; // px: about 100 characters a line
}

HelpPage::HelpPage(QWidget *parent)
    : QWidget(parent)
    , m_contents(new QListWidget)
    , m_text(new QTextBrowser)
{
    m_contents->setAccessibleName(tr("Contents"));
    m_contents->setFixedWidth(210);
    m_text->setOpenExternalLinks(true);
    m_text->setAccessibleName(tr("Help"));
    m_text->document()->setDocumentMargin(kSpace * 3);
    auto *side = new QVBoxLayout;
    side->setContentsMargins(kSpace * 2, kSpace * 2, kSpace, kSpace);
    side->setSpacing(kSpace);
    side->addWidget(makeLabel(tr("Help"), TextRole::Heading));
    side->addWidget(m_contents, 1);
    QPushButton *close = makeButton(tr("Close help"));
    close->setShortcut(Qt::Key_Escape);
    side->addWidget(close);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addLayout(side);
    row->addWidget(makeLine(Qt::Vertical));
    row->addWidget(m_text, 1);
    connect(close, &QPushButton::clicked, this, &HelpPage::closed);
    connect(m_contents, &QListWidget::currentRowChanged, this, &HelpPage::showHeading);
    connect(&Theme::instance(), &Theme::changed, this, &HelpPage::load);
    load();
}

void HelpPage::load()
{
    QString text;
    for (const char *page : {":/help/help.md", ":/help/export-formats.md"}) {
        QFile file(page);
        if (file.open(QIODevice::ReadOnly))
            text += QString::fromUtf8(file.readAll()) + "\n\n";
    }
    m_text->document()->setMarkdown(text);
    styleTables();
    m_text->setLineWrapMode(QTextEdit::FixedPixelWidth);
    m_text->setLineWrapColumnOrWidth(kTextWidth);
    listHeadings();
}

// The sections of the help, and the title of each page behind it.
void HelpPage::listHeadings()
{
    const QSignalBlocker blocker(m_contents);
    m_contents->clear();
    int titles = 0;
    for (QTextBlock block = m_text->document()->begin(); block.isValid(); block = block.next()) {
        const int level = block.blockFormat().headingLevel();
        titles += level == 1 ? 1 : 0;
        if (titles < 2 ? level != 2 : level != 1)
            continue;
        auto *item = new QListWidgetItem(block.text(), m_contents);
        item->setData(Qt::UserRole, block.position());
    }
}

// Qt's Markdown tables come with double borders and no padding.
void HelpPage::styleTables()
{
    const QList<QTextFrame *> frames = m_text->document()->rootFrame()->childFrames();
    for (QTextFrame *frame : frames) {
        auto *table = qobject_cast<QTextTable *>(frame);
        if (!table)
            continue;
        QTextTableFormat format = table->format();
        format.setBorder(1);
        format.setBorderCollapse(true);
        format.setBorderBrush(Theme::instance().colours().border);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setCellSpacing(0);
        format.setCellPadding(4);
        table->setFormat(format);
    }
}

void HelpPage::showHeading(int row)
{
    const QListWidgetItem *item = m_contents->item(row);
    if (!item)
        return;
    QTextCursor cursor(m_text->document());
    cursor.movePosition(QTextCursor::End);
    m_text->setTextCursor(cursor); // first to the end, so that the heading lands at the top
    if (row == 0) {
        m_text->verticalScrollBar()->setValue(0); // with the title above it
        return;
    }
    cursor.setPosition(item->data(Qt::UserRole).toInt());
    m_text->setTextCursor(cursor);
}

} // namespace tuneline::ui
