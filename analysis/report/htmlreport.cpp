// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/htmlreport.h"

#include "analysis/findings/catalogue.h"
#include "analysis/findings/words.h"
#include "analysis/report/htmlpage.h"
#include "analysis/report/htmlpictures.h"
#include "analysis/report/htmltables.h"

#include <algorithm>
#include <ctime>
#include <filesystem>

namespace tuneline::analysis {
namespace {

std::string paragraph(std::string_view text, std::string_view style = {})
{
    return "<p" + (style.empty() ? std::string() : " class=\"" + std::string(style) + "\"") + ">" + htmlText(text)
        + "</p>\n";
}

std::string heading(std::string_view text)
{
    return "<h2>" + htmlText(text) + "</h2>\n";
}

std::string share(std::int64_t ns, std::int64_t step)
{
    return step > 0 ? percentText(static_cast<double>(ns) / static_cast<double>(step)) : "–";
}

std::string fileNames(const Trace &trace)
{
    std::vector<std::string> names;
    for (const Source &source : trace.sources) {
        std::string name = std::filesystem::path(source.file).filename().string();
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(std::move(name));
    }
    std::string all;
    for (const std::string &name : names)
        all += (all.empty() ? "" : ", ") + name;
    return all;
}

std::string recordedAt(const Trace &trace)
{
    if (!trace.baseUnixNs)
        return {};
    const auto seconds = static_cast<std::time_t>(*trace.baseUnixNs / 1'000'000'000);
    std::tm parts{};
    char text[40];
    if (gmtime_r(&seconds, &parts) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
        return {};
    return std::string("recorded ") + text;
}

class Report
{
public:
    Report(const Analysis &analysis, const Advice &advice)
        : m_analysis(analysis)
        , m_advice(advice)
        , m_step(advice.step.timeNs)
    { }
    std::string page();

private:
    void head();
    void capture();
    void figures();
    void figure(std::string_view value, std::string_view what);
    void stepSection();
    void findings();
    void finding(std::size_t number, const Finding &finding);
    void fix(const Fix &fix);
    void plan();
    void tables();

    const Analysis &m_analysis;
    const Advice &m_advice;
    std::int64_t m_step;
    std::string m_body;
};

void Report::head()
{
    const DeviceMetrics *device = m_analysis.device();
    std::string about = fileNames(*m_analysis.trace);
    if (device != nullptr && !device->name.empty())
        about += " · " + device->name;
    if (const std::string when = recordedAt(*m_analysis.trace); !when.empty())
        about += " · " + when;
    m_body += "<h1>Where a training step goes</h1>\n" + paragraph(about, "muted break");
}

void Report::capture()
{
    const CaptureQuality &c = m_advice.capture;
    const bool good = c.verdict == CaptureVerdict::Good, limited = c.verdict == CaptureVerdict::Limited;
    m_body += std::string("<div class=\"banner ")
        + (good          ? "good"
               : limited ? "warn"
                         : "bad")
        + "\"><b>"
        + (good          ? "The capture is good."
               : limited ? "The capture is of limited use."
                         : "The capture is unusable.")
        + "</b> " + htmlText(c.why) + "</div>\n";
}

void Report::figure(std::string_view value, std::string_view what)
{
    m_body += "<div><b>" + htmlText(value) + "</b><span>" + htmlText(what) + "</span></div>\n";
}

void Report::figures()
{
    const StepSummary &s = m_advice.step;
    const DeviceMetrics *device = m_analysis.device();
    m_body += "<div class=\"figures\">\n";
    figure(m_step > 0 ? timeText(static_cast<double>(m_step)) : "–",
           showsBothTimes(s) ? "a step " + timesDifferBy(s) : "a step, median of the steady ones");
    if (showsBothTimes(s))
        figure(timeText(static_cast<double>(s.capturedNs)), "a step as captured, median of the steady ones");
    if (s.unitsPerSecond)
        figure(numberText(*s.unitsPerSecond), "units a second");
    figure(s.bound, "is what limits it");
    figure(device != nullptr && device->util ? percentText(*device->util) : "n/a",
           "of the time the device ran something");
    figure(std::to_string(m_advice.capture.steadySteps) + " of " + std::to_string(m_analysis.stepSet().list.size()),
           "steps are steady");
    if (m_advice.capture.slowdown)
        figure("+" + percentText(std::max(0.0, *m_advice.capture.slowdown - 1)),
               "longer steps while recorded; figures are corrected");
    m_body += "</div>\n";
}

void Report::stepSection()
{
    const std::vector<StepPart> parts = stepParts(m_advice.step);
    m_body += heading("What a step's time goes to");
    if (parts.empty()) {
        m_body +=
            paragraph(m_analysis.stepSet().why.empty() ? "No training steps were found." : m_analysis.stepSet().why);
        return;
    }
    std::vector<std::vector<std::string>> rows;
    for (const StepPart &part : parts)
        rows.push_back({std::string("<span class=\"key\" style=\"background:var(--") + partColour(part) + ")\"></span>"
                            + htmlText(part.name),
                        timeText(static_cast<double>(part.ns)), share(part.ns, m_step)});
    m_body += "<div class=\"card\">" + stepBar(parts) + htmlTable({{"part"}, {"a step", true}, {"share", true}}, rows);
    for (const RecurringStall &stall : m_advice.step.recurring)
        m_body += paragraph("Beside it: " + stall.what + ", " + timeText(static_cast<double>(stall.nsPerStep))
                                + " a step on average.",
                            "muted");
    if (showsBothTimes(m_advice.step))
        m_body +=
            paragraph("A step took " + stepTimesText(m_advice.step) + ". " + timesUsedText(m_advice.step), "muted");
    if (const std::string replayed = replayedStepsText(m_advice); !replayed.empty())
        m_body += paragraph(replayed, "muted");
    m_body += "</div>\n";
    if (const std::string strip = stepTimeline(m_analysis); !strip.empty())
        m_body += heading("A typical step") + "<div class=\"card\">" + strip + "</div>\n";
}

void Report::fix(const Fix &fix)
{
    const auto code = [&](const char *language, const std::string &text, bool open) {
        if (!text.empty())
            m_body += std::string("<details") + (open ? " open=\"\"" : "") + "><summary>" + language + "</summary><pre>"
                + htmlText(text) + "</pre></details>\n";
    };
    m_body += paragraph("Where: " + fix.where);
    code("Python", fix.python, true);
    code("LibTorch C++", fix.cpp, false);
}

void Report::finding(std::size_t number, const Finding &f)
{
    const bool risk = f.severity == FindingSeverity::Risk;
    const char *confidence = f.confidence == Confidence::High ? "high"
        : f.confidence == Confidence::Medium                  ? "medium"
                                                              : "low";
    m_body += "<div class=\"card\"><h3>" + std::to_string(number) + ". " + htmlText(f.title)
        + "</h3>\n<p><span class=\"tag\">" + htmlText(f.rule) + "</span> "
        + (risk ? "<span class=\"tag risk\">risk</span> " : "") + "<span class=\"tag\">confidence " + confidence
        + "</span></p>\n";
    if (!risk || f.gain.highNs > 0) {
        m_body += gainBar(f.gain, m_step);
        m_body += paragraph("Saves " + timeText(static_cast<double>(f.gain.lowNs)) + " to "
                            + timeText(static_cast<double>(f.gain.highNs)) + " of a step ("
                            + share(f.gain.lowNs, m_step) + " to " + share(f.gain.highNs, m_step) + ").");
    }
    m_body += paragraph(f.explanation);
    fix(f.fix);
    m_body += paragraph("It worked if: " + f.verify.metric + " – " + f.verify.expect, "muted");
    if (!f.caveats.empty()) {
        m_body += "<ul>";
        for (const std::string &caveat : f.caveats)
            m_body += "<li>" + htmlText(caveat) + "</li>";
        m_body += "</ul>\n";
    }
    m_body += htmlEvidence(*m_analysis.trace, f) + "</div>\n";
}

void Report::findings()
{
    m_body += heading("What to change");
    if (m_advice.findings.empty())
        m_body += paragraph("Nothing: every check that this run allows is fine.");
    else
        m_body += paragraph(kSnippetNames, "muted");
    for (std::size_t i = 0; i < m_advice.findings.size(); ++i)
        finding(i + 1, m_advice.findings[i]);
}

void Report::plan()
{
    const std::string bars = planBars(m_advice);
    if (bars.empty())
        return;
    m_body +=
        heading("In which order") + "<div class=\"card\">" + bars
        + paragraph(
            "Predicted step time with each change added to those above it. Change one thing, capture again as before, "
            "then ask: tuneline-cli compare BEFORE AFTER",
            "muted")
        + "</div>\n";
}

void Report::tables()
{
    const auto section = [&](std::string_view title, const std::string &table) {
        if (!table.empty())
            m_body += heading(title) + "<div class=\"card\">" + table + "</div>\n";
    };
    section("Kernels", htmlKernels(m_analysis));
    section("Operators", htmlOperators(m_analysis));
    section("Devices", htmlDevices(m_analysis));
    section("Memory", htmlMemory(m_analysis));
    section("Ranks", htmlRanks(m_analysis));
    section("Checked", htmlChecked(m_advice));
    section("What was wrong with the file", htmlProblems(m_analysis.trace->report));
}

std::string Report::page()
{
    head();
    capture();
    figures();
    stepSection();
    findings();
    plan();
    tables();
    m_body += paragraph(
        "Made by Tuneline. Times are those of the undisturbed run where the capture says how much it slowed it.",
        "muted");
    return htmlPage("Tuneline: " + fileNames(*m_analysis.trace), m_body);
}

} // namespace

std::string htmlReport(const Analysis &analysis, const Advice &advice)
{
    return Report(analysis, advice).page();
}

} // namespace tuneline::analysis
