// SPDX-License-Identifier: GPL-3.0-or-later
// The advice for a terminal.
#include "analysis/findings/catalogue.h"
#include "analysis/findings/stepparts.h"
#include "analysis/findings/words.h"
#include "analysis/report/advisereport.h"

#include <algorithm>
#include <sstream>

namespace tuneline::analysis {

namespace {

std::string wrap(std::string_view text, std::size_t indent, std::size_t width)
{
    std::string out, line;
    std::istringstream words{std::string(text)};
    std::string word;
    const std::string margin(indent, ' ');
    while (words >> word) {
        if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
            out += margin + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    return line.empty() ? out : out + margin + line + "\n";
}

std::string indented(std::string_view code, const char *margin)
{
    std::string out;
    std::istringstream lines{std::string(code)};
    for (std::string line; std::getline(lines, line);)
        out += margin + line + "\n";
    return out;
}

class TextReport
{
public:
    TextReport(const Advice &advice, int width)
        : m_advice(advice)
        , m_width(static_cast<std::size_t>(std::max(width, 40)))
    { }

    std::string run()
    {
        capture();
        step();
        if (!m_advice.findings.empty())
            m_out << "\n" << wrap(kSnippetNames, 0, m_width);
        for (std::size_t i = 0; i < m_advice.findings.size(); ++i)
            finding(i + 1, m_advice.findings[i]);
        if (m_advice.findings.empty())
            m_out << "\nNothing to change: every check below is fine.\n";
        plan();
        next();
        whatIf();
        checked();
        return m_out.str();
    }

private:
    [[nodiscard]] std::string share(std::int64_t ns) const
    {
        return m_advice.step.timeNs > 0
            ? percentText(static_cast<double>(ns) / static_cast<double>(m_advice.step.timeNs))
            : "-";
    }

    void capture()
    {
        const CaptureQuality &c = m_advice.capture;
        m_out << "Capture: "
              << (c.verdict == CaptureVerdict::Good          ? "good"
                      : c.verdict == CaptureVerdict::Limited ? "limited"
                                                             : "unusable")
              << "\n"
              << wrap(c.why, 2, m_width);
    }

    void line(const StepPart &part)
    {
        const std::size_t length = std::string_view(part.name).size();
        m_out << "  " << part.name << std::string(24 - std::min<std::size_t>(23, length), ' ')
              << timeText(static_cast<double>(part.ns)) << "  " << share(part.ns) << "\n";
    }

    void step()
    {
        const StepSummary &s = m_advice.step;
        if (s.timeNs <= 0)
            return;
        m_out << "\nStep: " << stepTimesText(s) << ", bound by " << s.bound;
        if (s.unitsPerSecond)
            m_out << ", " << numberText(*s.unitsPerSecond) << " units/s";
        m_out << "\n";
        for (const StepPart &part : stepParts(s))
            line(part);
        for (const RecurringStall &r : s.recurring)
            m_out << "  beside it: " << r.what << ", " << timeText(static_cast<double>(r.nsPerStep))
                  << " per step on average\n";
        if (const std::string used = timesUsedText(s); !used.empty())
            m_out << wrap(used, 2, m_width);
        if (const std::string replayed = replayedStepsText(m_advice); !replayed.empty())
            m_out << wrap(replayed, 2, m_width);
    }

    void finding(std::size_t number, const Finding &f)
    {
        m_out << "\n" << number << ". " << f.title << "  [" << f.rule << "]\n";
        if (f.severity == FindingSeverity::Risk)
            m_out << "   a risk, whatever its cost\n";
        else
            m_out << "   gain " << timeText(static_cast<double>(f.gain.lowNs)) << " to "
                  << timeText(static_cast<double>(f.gain.highNs)) << " a step (" << share(f.gain.lowNs) << " to "
                  << share(f.gain.highNs) << "), confidence "
                  << (f.confidence == Confidence::High         ? "high"
                          : f.confidence == Confidence::Medium ? "medium"
                                                               : "low")
                  << "\n";
        m_out << wrap(f.explanation, 3, m_width);
        m_out << wrap("Where: " + f.fix.where, 3, m_width);
        m_out << "   Python:\n" << indented(f.fix.python, "     | ");
        m_out << "   C++:\n" << indented(f.fix.cpp, "     | ");
        if (f.fix.knob)
            m_out << "   tuneline-train: " << *f.fix.knob << "\n";
        m_out << wrap("Verify: " + f.verify.metric + " → " + f.verify.expect, 3, m_width);
        for (const std::string &c : f.caveats)
            m_out << wrap("! " + c, 3, m_width);
        if (!f.evidence.empty())
            m_out << "   evidence: " << f.evidence.size() << (f.evidence.size() == 1 ? " place" : " places, the first")
                  << " at " << timeText(static_cast<double>(f.evidence.front().start))
                  << " of the timeline (\"tuneline FILE\" steps through them)\n";
    }

    void plan()
    {
        if (m_advice.plan.empty())
            return;
        m_out << "\nPlan, one change at a time:\n";
        for (const PlanItem &p : m_advice.plan)
            m_out << "  " << p.rule << std::string(26 - std::min<std::size_t>(25, p.rule.size()), ' ') << "step "
                  << timeText(static_cast<double>(p.stepNsAfter)) << "\n";
    }

    void next()
    {
        if (m_advice.findings.empty() || m_advice.step.timeNs <= 0)
            return;
        m_out << "\nNext: make one change, the first, and capture again as before. Whether it worked says\n"
                 "  tuneline-cli compare BEFORE AFTER\n";
    }

    void whatIf()
    {
        if (!m_advice.whatIf)
            return;
        const WhatIfResult &w = *m_advice.whatIf;
        m_out << "\nWhat if: step " << timeText(static_cast<double>(w.stepNs)) << " ("
              << timeText(static_cast<double>(w.lowNs)) << " to " << timeText(static_cast<double>(w.highNs))
              << "), now " << timeText(static_cast<double>(m_advice.step.timeNs)) << "\n";
        for (const std::string &a : w.assumptions)
            m_out << wrap(a, 2, m_width);
    }

    void checked()
    {
        const auto list = [&](CheckResult result, const char *title) {
            std::string text;
            for (const CheckedRule &c : m_advice.checked)
                if (c.result == result)
                    text +=
                        "  " + c.rule + std::string(26 - std::min<std::size_t>(25, c.rule.size()), ' ') + c.why + "\n";
            if (!text.empty())
                m_out << "\n" << title << "\n" << text;
        };
        list(CheckResult::Fine, "Checked, fine:");
        list(CheckResult::NotMeasurable, "Not measurable here:");
    }

    const Advice &m_advice;
    std::size_t m_width;
    std::ostringstream m_out;
};

} // namespace

std::string adviceToText(const Advice &advice, int width)
{
    return TextReport(advice, width).run();
}

} // namespace tuneline::analysis
