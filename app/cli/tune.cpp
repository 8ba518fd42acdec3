// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-cli tune: the loop of an engineer, done by itself. Capture, take the first advice that has a knob, turn that
// one knob, capture again, compare; keep what was confirmed, discard the rest; go on with the next advice.
#include "analysis/compare/compare.h"
#include "analysis/compare/ledger.h"
#include "analysis/findings/advice.h"
#include "app/cli/captureoptions.h"
#include "app/cli/command.h"
#include "app/cli/opening.h"
#include "app/cli/recording.h"
#include "app/cli/tuneknobs.h"
#include "capture/session/outputpath.h"
#include "capture/session/uniquefd.h"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <set>

namespace tuneline::cli {

namespace {

namespace fs = std::filesystem;

struct TuneOptions
{
    std::string out, knobs, warmup = "5";
    int runs = 3; // repeats of each side: an interval needs some
    int changes = 6; // tried at most
    std::int64_t steps = 8;
};

// One configuration of the program and its captures.
struct Side
{
    Arguments program;
    fs::path folder;
    std::vector<analysis::ComparedRun> runs;
};

std::string milliseconds(double ns)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(2) << ns / 1e6 << " ms";
    return text.str();
}

class Tuner
{
public:
    Tuner(const TuneOptions &options, KnobFlags knobs, fs::path folder)
        : m_options(options)
        , m_knobs(std::move(knobs))
        , m_folder(std::move(folder))
    { }

    ExitCode run(const Arguments &program)
    {
        m_best = {program, m_folder / "0-start", {}};
        if (const auto done = capture(m_best); done != ExitCode::Done)
            return done;
        std::cout << "start: " << milliseconds(static_cast<double>(stepNs(m_best))) << " a step\n" << std::flush;
        const auto startNs = stepNs(m_best);
        for (int change = 1; change <= m_options.changes; ++change) {
            const auto next = nextChange();
            if (!next)
                break;
            if (const auto done = tryChange(change, *next); done != ExitCode::Done)
                return done;
        }
        summarise(startNs);
        return ExitCode::Done;
    }

private:
    struct Change
    {
        const analysis::Finding *finding = nullptr;
        Arguments program;
    };

    static std::int64_t stepNs(const Side &side) { return side.runs.front().advice->step.timeNs; }

    // The first finding whose knob was not turned yet, and can be.
    std::optional<Change> nextChange()
    {
        for (const auto &finding : m_best.runs.front().advice->findings) {
            if (finding.severity != analysis::FindingSeverity::Time || !finding.fix.knob
                || m_tried.contains(*finding.fix.knob))
                continue;
            std::optional<Arguments> program = m_best.program;
            for (const auto &knob : parseKnobs(*finding.fix.knob)) {
                if (program)
                    program = m_knobs.apply(*program, knob);
            }
            if (program && *program != m_best.program)
                return Change{&finding, *program};
        }
        return std::nullopt;
    }

    ExitCode tryChange(int number, const Change &change)
    {
        const std::string knob = *change.finding->fix.knob, rule = change.finding->rule;
        m_tried.insert(knob);
        Side side{change.program, m_folder / (std::to_string(number) + '-' + rule), {}};
        std::cout << rule << ": " << knob << ", predicted "
                  << milliseconds(static_cast<double>(change.finding->gain.predictedStepNs)) << std::flush;
        if (const auto done = capture(side); done != ExitCode::Done) {
            if (m_interrupted)
                return done;
            // A knob that the program refuses is one that it doesn't have; the others may still help.
            std::cout << " → could not be captured (" << (side.folder / "program.log").string() << ")\n";
            return ExitCode::Done;
        }
        const auto comparison = analysis::compare(m_best.runs, side.runs);
        const bool kept = comparison.verdict == analysis::Verdict::Confirmed;
        std::cout << ", measured " << milliseconds(static_cast<double>(stepNs(side))) << " → "
                  << analysis::toText(comparison.verdict) << (kept ? ", kept" : ", discarded") << "\n    "
                  << comparison.why << '\n'
                  << std::flush;
        const auto entry = analysis::ledgerEntry(comparison, m_best.folder.string(), side.folder.string());
        const analysis::Ledger ledger;
        if (const auto noted = ledger.decide(entry, kept ? analysis::Decision::Kept : analysis::Decision::Discarded);
            !noted)
            printError(noted.error().message, noted.error().where); // the result stands without it
        if (kept)
            m_best = std::move(side);
        return ExitCode::Done;
    }

    ExitCode capture(Side &side)
    {
        std::error_code error;
        fs::create_directories(side.folder, error);
        const capture::UniqueFd log(
            open((side.folder / "program.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
        if (error || !log) {
            printError("can't write into " + side.folder.string());
            return ExitCode::CaptureFailed;
        }
        for (int repeat = 1; repeat <= m_options.runs; ++repeat) {
            const auto file = side.folder / ("run" + std::to_string(repeat) + ".tlc");
            CaptureOptions options;
            options.out = file;
            options.warmup = m_options.warmup;
            options.steps = m_options.steps;
            const auto done = recordProgram({toPlan(options, side.program.front()), side.program, true, log.get()});
            m_interrupted = m_interrupted || done.interrupted;
            if (done.exit != ExitCode::Done || m_interrupted)
                return ExitCode::CaptureFailed;
            auto run = openRun(file);
            if (!run)
                return report(run.error());
            side.runs.push_back(std::move(*run));
        }
        return ExitCode::Done;
    }

    void summarise(std::int64_t startNs) const
    {
        const auto endNs = stepNs(m_best);
        std::cout << "end: " << milliseconds(static_cast<double>(endNs)) << " a step, ";
        if (endNs > 0 && endNs < startNs)
            std::cout << std::fixed << std::setprecision(2) << static_cast<double>(startNs) / static_cast<double>(endNs)
                      << " times as fast as at the start\n";
        else
            std::cout << "no faster than at the start\n";
        for (std::size_t i = 0; i < m_best.program.size(); ++i)
            std::cout << (i == 0 ? "" : " ") << m_best.program[i];
        std::cout << "\ncaptures: " << m_folder.string() << '\n';
    }

    const TuneOptions &m_options;
    KnobFlags m_knobs;
    fs::path m_folder;
    Side m_best;
    std::set<std::string> m_tried;
    bool m_interrupted = false;
};

ExitCode tune(const TuneOptions &options, const Arguments &program)
{
    if (program.empty()) {
        printError("no program to tune; put it behind --, as in: tuneline-cli tune -- tuneline-train --model cnn");
        return ExitCode::Usage;
    }
    KnobFlags knobs;
    if (!options.knobs.empty()) {
        auto read = KnobFlags::read(options.knobs);
        if (!read)
            return report(read.error());
        knobs = std::move(*read);
    }
    fs::path folder = options.out;
    if (folder.empty())
        folder = "tune-" + capture::defaultOutput(capture::programName(program)).stem().string();
    std::error_code error;
    if (fs::exists(folder, error)) {
        printError("already there; choose another folder with --out", folder.string());
        return ExitCode::CaptureFailed;
    }
    return Tuner(options, std::move(knobs), fs::absolute(folder)).run(program);
}

} // namespace

void addTune(CLI::App &app, Outcome &outcome)
{
    auto options = std::make_shared<TuneOptions>();
    auto *command = app.add_subcommand("tune", "Turn one advised knob after another, keep what measurably helps");
    command->add_option("--runs", options->runs, "Captures of each configuration")
        ->check(CLI::Range(1, 50))
        ->capture_default_str();
    command->add_option("--knobs", options->knobs,
                        "JSON file: knob → flag of the program, {\"workers\": \"--num-workers={}\"}");
    command->add_option("--changes", options->changes, "Changes to try at most")
        ->check(CLI::Range(1, 50))
        ->capture_default_str();
    command->add_option("--warmup", options->warmup, "As of record")->capture_default_str();
    command->add_option("--steps", options->steps, "As of record")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("-o,--out", options->out, "Folder for the captures; tune-PROGRAM-DATE if left out");
    command->footer(
        "Put the program behind --. Its knobs are those of tuneline-train (--batch-size=N), or those of --knobs. "
        "Each run is ended once it is captured.");
    command->callback([options, &outcome] { outcome.exit = tune(*options, outcome.program); });
}

} // namespace tuneline::cli
