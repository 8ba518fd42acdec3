// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/pieces.h"

#include "ui/widgets/icons.h"

#include <QBoxLayout>
#include <QRegularExpression>
#include <QStyle>

namespace tuneline::ui {

namespace {

void setStyled(QWidget *widget, const char *property, const char *value)
{
    widget->setProperty(property, value);
    // A property selector is only looked at again when the widget is polished again.
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

} // namespace

void setTone(QWidget *widget, const char *tone)
{
    setStyled(widget, "tone", tone);
}

void setRole(QWidget *widget, const char *role)
{
    setStyled(widget, "role", role);
}

QLabel *makeLabel(const QString &text, TextRole role, const char *tone)
{
    auto *label = new QLabel(text);
    label->setFont(Theme::font(role));
    label->setTextFormat(Qt::PlainText);
    label->setProperty("tone", tone);
    return label;
}

QString breakable(const QString &text)
{
    static const QRegularExpression longWord("\\S{24,}");
    QString result;
    qsizetype done = 0;
    for (auto it = longWord.globalMatch(text); it.hasNext();) {
        const auto match = it.next();
        result += text.mid(done, match.capturedStart() - done);
        for (const QChar c : match.captured()) {
            result += c;
            if (QStringLiteral("_#.:/,;=-(<").contains(c))
                result += QChar(0x200B); // zero-width space: a place to break
        }
        done = match.capturedEnd();
    }
    return result + text.mid(done);
}

QLabel *makeWrapped(const QString &text, TextRole role, const char *tone)
{
    QLabel *label = makeLabel(breakable(text), role, tone);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // A wrapped label's size hint is a guess at a nice aspect ratio: it must not widen the column that it stands in.
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    policy.setHeightForWidth(true); // setWordWrap() had set it, a new policy forgets it
    label->setSizePolicy(policy);
    label->setMinimumWidth(200); // px; its least height is what this width needs
    return label;
}

QLabel *makePill(const QString &text, const char *tone)
{
    QLabel *label = makeLabel(text, TextRole::Caption, tone);
    label->setProperty("role", "pill");
    label->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    return label;
}

QFrame *makeLine(Qt::Orientation orientation)
{
    auto *line = new QFrame;
    line->setProperty("role", "line");
    if (orientation == Qt::Horizontal)
        line->setFixedHeight(1);
    else
        line->setFixedWidth(1);
    return line;
}

QFrame *makeFrame(const char *role, QBoxLayout *layout, int margin)
{
    auto *frame = new QFrame;
    frame->setProperty("role", role);
    layout->setContentsMargins(margin, margin, margin, margin);
    frame->setLayout(layout);
    return frame;
}

QPushButton *makeButton(const QString &text, const QString &iconName, const char *role)
{
    auto *button = new QPushButton(iconName.isEmpty() ? text : ' ' + text); // Qt leaves too little room behind an icon
    button->setProperty("role", role);
    if (!iconName.isEmpty())
        button->setIcon(icon(iconName));
    return button;
}

QToolButton *makeToolButton(const QString &iconName, const QString &name)
{
    auto *button = new QToolButton;
    button->setIcon(icon(iconName));
    button->setToolTip(name);
    button->setAccessibleName(name);
    button->setAutoRaise(true);
    return button;
}

} // namespace tuneline::ui
