// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli advise: the bottlenecks, their evidence, their fixes and what each should bring.
#include "analysis/analysis.h"
#include "analysis/findings/advice.h"
#include "analysis/report/advisereport.h"
#include "app/cli/command.h"
#include "app/cli/opening.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace tuneline::cli {

namespace {

struct AdviseArguments
{
    std::vector<std::string> files;
    std::string whatIf;
    std::int64_t batch = 0;
    bool json = false;
    double failAbove = -1; // per cent of the step, < 0: never
};

bool exceeds(const analysis::Advice &advice, double percent)
{
    const auto step = static_cast<double>(std::max<std::int64_t>(1, advice.step.timeNs));
    return std::any_of(advice.findings.begin(), advice.findings.end(), [&](const analysis::Finding &f) {
        return f.severity == analysis::FindingSeverity::Time
            && 100 * static_cast<double>(f.gain.highNs) / step > percent;
    });
}

ExitCode advise(const AdviseArguments &arguments)
{
    analysis::AdviseOptions options;
    if (!arguments.whatIf.empty()) {
        auto changes = analysis::parseChanges(arguments.whatIf);
        if (!changes)
            return report(changes.error());
        options.whatIf = std::move(*changes);
    }
    if (arguments.batch > 0)
        options.batch = arguments.batch;
    const auto analysis = openAnalysed(arguments.files);
    if (!analysis)
        return report(analysis.error());
    const analysis::Advice advice = analysis::advise(**analysis, options);
    // Names come from the file as they are: what is no UTF-8 is replaced, never fatal.
    if (arguments.json)
        std::cout << adviceToJson(advice).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    else
        std::cout << adviceToText(advice);
    return arguments.failAbove >= 0 && exceeds(advice, arguments.failAbove) ? ExitCode::No : ExitCode::Done;
}

} // namespace

void addAdvise(CLI::App &app, Outcome &outcome)
{
    auto arguments = std::make_shared<AdviseArguments>();
    auto *command = app.add_subcommand("advise", "Name the bottlenecks, what to change and what it should bring");
    command->add_option("FILE", arguments->files, "Capture or trace; several are the ranks of one run")->required();
    command->add_option("--what-if", arguments->whatIf, "Predict the step time with CHANGE[+CHANGE…]");
    command->add_option("--batch", arguments->batch, "Present batch size, where the capture doesn't know it");
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->add_option("--fail-above", arguments->failAbove,
                        "Exit 1 if a finding could save more than PCT of the step");
    command->callback([arguments, &outcome] { outcome.exit = advise(*arguments); });
}

} // namespace tuneline::cli
