// SPDX-License-Identifier: GPL-3.0-or-later
// Every rule that did not fire, and why: fine, not measurable in this capture, not applicable to this run. GUI thread.
#pragma once

#include "analysis/findings/finding.h"

#include <QWidget>

namespace tuneline::ui {

class CheckedList : public QWidget
{
    Q_OBJECT
public:
    explicit CheckedList(const std::vector<analysis::CheckedRule> &checked, QWidget *parent = nullptr);
};

} // namespace tuneline::ui
