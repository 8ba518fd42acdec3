// SPDX-License-Identifier: GPL-3.0-or-later
// Small building blocks that all pages share, so that spacing and type are the same everywhere. GUI thread; whoever
// gets one owns it through its Qt parent.
#pragma once

#include "ui/widgets/theme.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

class QBoxLayout;

namespace tuneline::ui {

inline constexpr int kSpace = 8; // px: the one unit; margins and gaps are multiples or halves of it

void setTone(QWidget *widget, const char *tone); // "", muted, good, warn, bad, accent, info; re-polishes
void setRole(QWidget *widget, const char *role);

[[nodiscard]] QLabel *makeLabel(const QString &text, TextRole role = TextRole::Body, const char *tone = "");
[[nodiscard]] QLabel *makeWrapped(const QString &text, TextRole role = TextRole::Body,
                                  const char *tone = ""); // wraps, selectable by mouse
[[nodiscard]] QString breakable(const QString &text); // long names may wrap behind their punctuation
[[nodiscard]] QLabel *makePill(const QString &text, const char *tone = "");
[[nodiscard]] QFrame *makeLine(Qt::Orientation orientation = Qt::Horizontal); // 1 px rule
[[nodiscard]] QFrame *makeFrame(const char *role, QBoxLayout *layout, int margin = kSpace); // "card", "strip", "panel"
[[nodiscard]] QPushButton *makeButton(const QString &text, const QString &iconName = {}, const char *role = "");
[[nodiscard]] QToolButton *makeToolButton(const QString &iconName,
                                          const QString &name); // name: tool tip and accessible name

} // namespace tuneline::ui
