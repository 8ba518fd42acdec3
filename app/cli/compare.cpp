// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli compare: two runs side by side, and the verdict. A plain folder of captures is a side with repeats.
#include "analysis/compare/compare.h"
#include "analysis/analysis.h"
#include "analysis/compare/ledger.h"
#include "analysis/findings/advice.h"
#include "analysis/report/comparereport.h"
#include "app/cli/command.h"
#include "app/cli/opening.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

namespace tuneline::cli {

namespace {

namespace fs = std::filesystem;

struct CompareOptions
{
    std::string before, after;
    bool json = false;
    bool ledger = false;
    double failOnRegression = -1; // percent, < 0 = not asked
};

// A capture of several ranks is a folder, too, but one named *.tlc: that is one run.
std::vector<std::string> runsOf(const std::string &path)
{
    std::error_code error;
    if (!fs::is_directory(path, error) || fs::path(path).extension() == ".tlc")
        return {path};
    // Logs and notes lie beside captures: what is no trace by its name is passed over, and said.
    static const std::array<std::string_view, 4> kTraces{".tlc", ".json", ".gz", ".sqlite"};
    std::vector<std::string> runs;
    for (const auto &entry : fs::directory_iterator(path, error)) {
        const std::string extension = entry.path().extension().string();
        if (std::find(kTraces.begin(), kTraces.end(), extension) != kTraces.end())
            runs.push_back(entry.path().string());
        else
            printError("not a capture or trace by its name, passed over", entry.path().string());
    }
    std::sort(runs.begin(), runs.end());
    return runs;
}

analysis::Result<std::vector<analysis::ComparedRun>> openSide(const std::string &path)
{
    std::vector<analysis::ComparedRun> side;
    for (const std::string &file : runsOf(path)) {
        auto run = openRun(file);
        if (!run)
            return tl::make_unexpected(run.error());
        side.push_back(std::move(*run));
    }
    if (side.empty())
        return analysis::fail(analysis::Error::Code::CannotOpen,
                              "This folder holds no capture. Name a capture file, or a folder of repeated captures.",
                              path);
    return side;
}

ExitCode compare(const CompareOptions &options)
{
    const auto before = openSide(options.before);
    if (!before)
        return report(before.error());
    const auto after = openSide(options.after);
    if (!after)
        return report(after.error());

    const analysis::Comparison comparison = analysis::compare(*before, *after);
    const std::string text = options.json
        ? compareJson(comparison).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n'
        : compareText(comparison);
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (options.ledger) {
        const auto noted = analysis::Ledger().append(
            ledgerEntry(comparison, fs::absolute(options.before).string(), fs::absolute(options.after).string()));
        if (!noted)
            return report(noted.error());
    }
    const bool regressed = comparison.verdict == analysis::Verdict::Regressed
        && comparison.metrics.front().change.value_or(0) * 100 > options.failOnRegression;
    return options.failOnRegression >= 0 && regressed ? ExitCode::No : ExitCode::Done;
}

} // namespace

void addCompare(CLI::App &app, Outcome &outcome)
{
    auto options = std::make_shared<CompareOptions>();
    auto *command = app.add_subcommand("compare", "Compare two runs: metrics, findings, operators, verdict");
    command->add_option("BEFORE", options->before, "A capture or trace, or a folder of repeated captures")->required();
    command->add_option("AFTER", options->after, "The same after the change")->required();
    command->add_flag("--json", options->json, "Print one JSON document");
    command->add_flag("--ledger", options->ledger, "Note the outcome in the experiment ledger");
    command->add_option("--fail-on-regression", options->failOnRegression,
                        "Exit 1 if the step got slower by more than PCT");
    command->callback([options, &outcome] { outcome.exit = compare(*options); });
}

} // namespace tuneline::cli
