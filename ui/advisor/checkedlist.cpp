// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/advisor/checkedlist.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/pieces.h"

#include <QGridLayout>

namespace tuneline::ui {

using analysis::CheckedRule;
using analysis::CheckResult;

CheckedList::CheckedList(const std::vector<CheckedRule> &checked, QWidget *parent)
    : QWidget(parent)
{
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(kSpace / 2, 0, kSpace / 2, 0);
    grid->setHorizontalSpacing(kSpace);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const CheckResult wanted : {CheckResult::Fine, CheckResult::NotMeasurable, CheckResult::NotApplicable}) {
        for (const CheckedRule &rule : checked) {
            if (rule.result != wanted)
                continue;
            auto *mark = new QLabel;
            const bool fine = wanted == CheckResult::Fine;
            mark->setPixmap(iconPixmap(fine                                       ? "check"
                                           : wanted == CheckResult::NotMeasurable ? "help"
                                                                                  : "close",
                                       fine ? IconTone::Good : IconTone::Muted, 12, devicePixelRatioF()));
            const QString name = QString::fromStdString(rule.rule);
            const QString why = QString::fromStdString(rule.why);
            QLabel *text =
                makeWrapped(why.isEmpty() ? name : name + ": " + why, TextRole::Caption, fine ? "" : "muted");
            grid->addWidget(mark, row, 0, Qt::AlignTop);
            grid->addWidget(text, row++, 1);
        }
    }
}

} // namespace tuneline::ui
