// SPDX-License-Identifier: GPL-3.0-or-later
// Quiet colours for fix code: comments, strings, keywords. Nothing more is needed to read ten lines. GUI thread; owned
// by its document.
#pragma once

#include <QRegularExpression>
#include <QSyntaxHighlighter>
#include <QTextCharFormat>

namespace tuneline::ui {

class CodeHighlighter : public QSyntaxHighlighter
{
    Q_OBJECT
public:
    enum class Language { Cpp, Python };
    CodeHighlighter(QTextDocument *document, Language language);

protected:
    void highlightBlock(const QString &text) override;

private:
    void loadColours();

    QRegularExpression m_keyword, m_string, m_comment;
    QTextCharFormat m_keywordFormat, m_stringFormat, m_commentFormat;
};

} // namespace tuneline::ui
