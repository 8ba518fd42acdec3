// SPDX-License-Identifier: GPL-3.0-or-later
// A training run made by hand: eight steps of 10 ms, each with an input wait, operators, launches and kernels. And the
// same as a Kineto file, for tests that open files.
#pragma once

#include "ui/jobs/document.h"

#include <QString>

namespace tuneline::test {

struct RunShape
{
    int steps = 8;
    std::int64_t inputNs = 4'000'000; // of each step
    std::int64_t workNs = 6'000'000;
    bool device = true;
};

[[nodiscard]] analysis::TracePtr makeTrace(const RunShape &shape = {});
// Analysed, with an advice of our own: two findings with three places of evidence each, a plan, checks.
[[nodiscard]] ui::Document makeDocument(const RunShape &shape = {});
[[nodiscard]] ui::Document makeHealthyDocument();

// Writes a Kineto file with that many steps; false if it can't.
bool writeKineto(const QString &path, const RunShape &shape = {}, int padding = 0); // padding: further operators a step

} // namespace tuneline::test
