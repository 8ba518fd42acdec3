// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/analysis.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

class Analyser
{
public:
    Analyser(TracePtr trace, const AnalysisOptions &options, Progress &progress)
        : m_options(options)
        , m_progress(progress)
        , m_result(std::make_shared<Analysis>())
    {
        m_result->trace = std::move(trace);
    }

    Result<AnalysisPtr> run()
    {
        m_progress.stage.store(Stage::Analysing);
        using Part = void (Analyser::*)();
        for (const Part part : {&Analyser::findNames, &Analyser::findAllSteps, &Analyser::measureDevices,
                                &Analyser::measureSteps, &Analyser::makeAllTables, &Analyser::askReplay}) {
            if (m_progress.cancelled())
                return fail(Error::Code::Cancelled, "The analysis was cancelled.");
            (this->*part)();
        }
        return AnalysisPtr(m_result);
    }

private:
    [[nodiscard]] const Trace &trace() const { return *m_result->trace; }

    void findNames() { m_result->names = NameTable(trace()); }

    void findAllSteps()
    {
        Analysis &a = *m_result;
        for (std::size_t s = 0; s < trace().sources.size(); ++s) {
            const SourceId source{s};
            a.stepsOfSource.push_back(findSteps(trace(), a.names, source, m_options.steps));
            a.hostOfSource.emplace_back(trace(), source, a.names, a.stepsOfSource.back());
        }
        if (a.stepsOfSource.empty()) { // a trace without sources: nothing in it, but still an answer
            a.stepsOfSource.emplace_back();
            a.hostOfSource.emplace_back();
        }
        const auto better = [&](std::size_t s) {
            const bool has = !a.stepsOfSource[s].empty(), hasBest = !a.stepSet().empty();
            if (has != hasBest)
                return has;
            return has
                && trace().sources[s].rank.value_or(INT32_MAX) < trace().sources[a.mainSource].rank.value_or(INT32_MAX);
        };
        for (std::size_t s = 1; s < trace().sources.size(); ++s) {
            if (better(s))
                a.mainSource = static_cast<std::uint32_t>(s);
        }
    }

    void measureDevices()
    {
        Analysis &a = *m_result;
        for (std::size_t s = 0; s < trace().sources.size(); ++s) {
            for (DeviceMetrics &d : deviceMetrics(trace(), a.names, a.stepsOfSource[s], a.hostOfSource[s])) {
                if (s == a.mainSource && d.device == a.stepsOfSource[s].device)
                    a.mainDevice = static_cast<int>(a.devices.size());
                a.devices.push_back(std::move(d));
            }
        }
    }

    void measureSteps()
    {
        Analysis &a = *m_result;
        StepSet &set = a.stepsOfSource[a.mainSource];
        a.steps = stepMetrics(trace(), a.names, set, a.host(), a.device());
        a.breakdown = headlineBreakdown(set, a.steps);
        set.bound = boundOf(a.breakdown, a.device() != nullptr);
        a.syncs = syncFigures(set, a.steps, trace(), a.host());
        a.input = inputFigures(trace(), a.names, set, a.steps, a.host());
    }

    void makeAllTables()
    {
        Analysis &a = *m_result;
        a.copies = copyFigures(trace());
        a.links = linkFigures(trace());
        a.tables = makeTables(trace());
        a.memory = memoryCurves(trace());
        a.ranks = analyseRanks(trace(), a.names);
        explainStraggler();
    }

    void explainStraggler()
    {
        Analysis &a = *m_result;
        if (!a.ranks.straggler)
            return;
        RankBreakdowns all(trace().sources.size());
        std::size_t straggler = all.size();
        for (std::size_t s = 0; s < all.size(); ++s) {
            if (!trace().sources[s].rank || a.stepsOfSource[s].empty())
                continue;
            if (trace().sources[s].rank == a.ranks.straggler)
                straggler = s;
            const auto device = std::find_if(a.devices.begin(), a.devices.end(), [&](const DeviceMetrics &d) {
                return d.source.value == s && d.device == a.stepsOfSource[s].device;
            });
            const StepSet &set = a.stepsOfSource[s];
            all[s] = meanBreakdown(
                set,
                stepMetrics(trace(), a.names, set, a.hostOfSource[s], device == a.devices.end() ? nullptr : &*device));
        }
        a.lateCause = whyLate(all, straggler);
    }

    void askReplay()
    {
        Analysis &a = *m_result;
        if (!m_options.replay)
            return;
        const ReplayAnswers answers = m_options.replay(a);
        a.whatIf = answers.whatIf;
        a.syncs.trueCostNsPerStep = answers.trueSyncCostNsPerStep;
        if (a.mainDevice < 0)
            return;
        DeviceMetrics &device = a.devices[static_cast<std::size_t>(a.mainDevice)];
        moveToCause(device, answers.vanishingNs, IdleCause::Synchronisation);
        moveToCause(device, answers.artefactNs, IdleCause::NotMeasurable);
        const auto known = a.syncs.trueCostNsPerStep;
        measureSteps();
        a.syncs.trueCostNsPerStep = known;
    }

    const AnalysisOptions &m_options;
    Progress &m_progress;
    std::shared_ptr<Analysis> m_result;
};

} // namespace

Result<AnalysisPtr> analyse(TracePtr trace, const AnalysisOptions &options, Progress &progress)
{
    return Analyser(std::move(trace), options, progress).run();
}

} // namespace tuneline::analysis
