// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/advisor/codehighlighter.h"

#include "ui/widgets/theme.h"

namespace tuneline::ui {

CodeHighlighter::CodeHighlighter(QTextDocument *document, Language language)
    : QSyntaxHighlighter(document)
    , m_keyword(
          language == Language::Cpp
              ? R"(\b(auto|bool|break|class|const|continue|double|else|false|float|for|if|int|namespace|new|nullptr|return|struct|true|using|void|while)\b)"
              : R"(\b(and|as|break|class|continue|def|elif|else|False|for|from|if|import|in|is|lambda|None|not|or|return|self|True|while|with|yield)\b)")
    , m_string(R"("(\\.|[^"\\])*"|'(\\.|[^'\\])*')")
    , m_comment(language == Language::Cpp ? "//.*$" : "#.*$")
{
    loadColours();
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        loadColours();
        rehighlight();
    });
}

void CodeHighlighter::loadColours()
{
    const ThemeColours &colours = Theme::instance().colours();
    m_keywordFormat.setForeground(colours.accent);
    m_stringFormat.setForeground(colours.good);
    m_commentFormat.setForeground(colours.muted);
    m_commentFormat.setFontItalic(true);
}

void CodeHighlighter::highlightBlock(const QString &text)
{
    const auto apply = [this, &text](const QRegularExpression &pattern, const QTextCharFormat &format) {
        for (auto it = pattern.globalMatch(text); it.hasNext();) {
            const auto match = it.next();
            setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()), format);
        }
    };
    apply(m_keyword, m_keywordFormat);
    apply(m_string, m_stringFormat);
    apply(m_comment, m_commentFormat); // last: a keyword inside a comment is none
}

} // namespace tuneline::ui
