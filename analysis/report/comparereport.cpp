// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/comparereport.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tuneline::analysis {

namespace {

using nlohmann::json;

// The operators that a person reads; --json has all of them.
constexpr std::size_t kOpsShown = 10;

template <typename T> json orNull(const std::optional<T> &value)
{
    return value ? json(*value) : json(nullptr);
}

template <typename... Args> std::string print(const char *format, Args... args)
{
    std::array<char, 256> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), format, args...);
    return {buffer.data(), static_cast<std::size_t>(std::clamp<int>(length, 0, static_cast<int>(buffer.size()) - 1))};
}

std::string valueText(const std::optional<double> &value, const std::string &unit)
{
    if (!value)
        return "n/a";
    if (unit == "ns")
        return std::abs(*value) >= 1e6 ? print("%.2f ms", *value / 1e6) : print("%.1f µs", *value / 1e3);
    if (unit == "ratio")
        return print("%.1f %%", 100 * *value);
    if (unit == "bytes")
        return print("%.1f MiB", *value / (1024.0 * 1024.0));
    return print("%.6g%s", *value, unit == "1/s" ? " /s" : "");
}

std::string changeText(const MetricChange &m)
{
    if (!m.change)
        return "";
    std::string text = m.unit == "ratio" ? print("%+.1f points", 100 * *m.change) : print("%+.1f %%", 100 * *m.change);
    if (m.ciLow && m.ciHigh)
        text += print("  [%+.1f, %+.1f]%s", 100 * *m.ciLow, 100 * *m.ciHigh, m.significant.value_or(false) ? " *" : "");
    return text;
}

// Pads by characters, not bytes: µ takes two.
std::string padded(const std::string &text, std::size_t width)
{
    std::size_t characters = 0;
    for (const char c : text)
        characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    return characters < width ? text + std::string(width - characters, ' ') : text;
}

std::string metricsText(const Comparison &c)
{
    std::string out = '\n' + padded("", 34) + padded("before", 14) + padded("after", 14) + "change [95 %]\n";
    for (const MetricChange &m : c.metrics)
        out += padded("  " + m.label, 34) + padded(valueText(m.before, m.unit), 14)
            + padded(valueText(m.after, m.unit), 14) + changeText(m) + '\n';
    return out;
}

std::string opsText(const Comparison &c)
{
    std::string out;
    std::size_t shown = 0;
    for (const OpChange &op : c.ops) {
        if (op.state == OpState::Same || shown++ == kOpsShown)
            continue;
        if (shown > kOpsShown)
            break;
        out += "  " + padded(valueText(op.beforeNsPerStep, "ns") + " → " + valueText(op.afterNsPerStep, "ns"), 26)
            + padded(print("%.3g → %.3g calls", op.callsBefore, op.callsAfter), 22) + padded(toText(op.state), 9)
            + op.name.substr(0, 80) + '\n';
    }
    return out.empty() ? out : "\nLargest changes per step\n" + out;
}

} // namespace

json compareJson(const Comparison &c)
{
    json out{{"comparable", c.comparable},
             {"one_variable", c.oneVariable},
             {"why", c.why},
             {"notes", c.notes},
             {"steps", {{"before", c.stepsBefore}, {"after", c.stepsAfter}}},
             {"runs", {{"before", c.runsBefore}, {"after", c.runsAfter}}},
             {"verdict", toText(c.verdict)},
             {"bottleneck", {{"before", c.bottleneckBefore}, {"after", c.bottleneckAfter}}},
             {"differences", json::array()},
             {"metrics", json::array()},
             {"findings", json::array()},
             {"ops", json::array()},
             {"guards", json::array()},
             {"scaling", nullptr},
             {"prediction", nullptr}};
    for (const Difference &d : c.differences)
        out["differences"].push_back({{"key", d.key}, {"before", d.before}, {"after", d.after}});
    for (const MetricChange &m : c.metrics)
        out["metrics"].push_back({{"name", m.name},
                                  {"unit", m.unit},
                                  {"before", orNull(m.before)},
                                  {"after", orNull(m.after)},
                                  {"change", orNull(m.change)},
                                  {"ci", m.ciLow ? json::array({*m.ciLow, *m.ciHigh}) : json(nullptr)},
                                  {"significant", orNull(m.significant)}});
    for (const FindingChange &f : c.findings)
        out["findings"].push_back({{"rule", f.rule},
                                   {"before_share", f.beforeShare},
                                   {"after_share", f.afterShare},
                                   {"state", toText(f.state)}});
    for (const OpChange &op : c.ops)
        out["ops"].push_back({{"name", op.name},
                              {"device", op.onDevice},
                              {"before_ns_per_step", std::llround(op.beforeNsPerStep)},
                              {"after_ns_per_step", std::llround(op.afterNsPerStep)},
                              {"calls_before", op.callsBefore},
                              {"calls_after", op.callsAfter},
                              {"state", toText(op.state)}});
    for (const Guard &g : c.guards)
        out["guards"].push_back({{"name", g.name}, {"state", toText(g.state)}, {"why", g.why}});
    if (c.scaling)
        out["scaling"] = {{"devices", c.scaling->devices},
                          {"speedup", c.scaling->speedup},
                          {"efficiency", c.scaling->efficiency},
                          {"cause", c.scaling->cause.empty() ? json(nullptr) : json(c.scaling->cause)},
                          {"why", scalingText(*c.scaling)}};
    if (c.prediction)
        out["prediction"] = {{"rule", c.prediction->rule},
                             {"low", c.prediction->low},
                             {"high", c.prediction->high},
                             {"measured", c.prediction->measured},
                             {"hit", c.prediction->hit}};
    return out;
}

std::string compareText(const Comparison &c)
{
    std::string out = std::string("Verdict: ") + toText(c.verdict) + "\n  " + c.why + '\n';
    if (!c.differences.empty())
        out += "\nWhat is different\n";
    for (const Difference &d : c.differences)
        out += "  " + padded(d.key, 18) + (d.before.empty() ? "–" : d.before) + " → "
            + (d.after.empty() ? "–" : d.after) + '\n';
    out += metricsText(c);
    if (c.scaling)
        out += print("\nScaling efficiency %.0f %%\n  ", 100 * c.scaling->efficiency) + scalingText(*c.scaling) + '\n';
    if (c.prediction)
        out += print("\nPrediction (%s): %.0f to %.0f %% of the step saved, measured %.0f %%: %s\n",
                     c.prediction->rule.c_str(), 100 * c.prediction->low, 100 * c.prediction->high,
                     100 * c.prediction->measured, c.prediction->hit ? "hit" : "missed");
    if (!c.findings.empty())
        out += "\nFindings (share of the step)\n";
    for (const FindingChange &f : c.findings)
        out += "  " + padded(toText(f.state), 11) + padded(f.rule, 22)
            + print("%.0f %% → %.0f %%\n", 100 * f.beforeShare, 100 * f.afterShare);
    out += opsText(c) + "\nGuards\n";
    for (const Guard &g : c.guards)
        out += "  " + padded(toText(g.state), 14) + padded(g.name, 14) + g.why + '\n';
    for (const std::string &note : c.notes)
        out += "\nNote: " + note;
    return out + (c.notes.empty() ? "" : "\n");
}

} // namespace tuneline::analysis
