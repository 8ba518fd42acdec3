// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/rpcparams.h"

#include "capture/session/outputpath.h"

#include <cmath>

namespace tuneline::capture {

using nlohmann::json;

namespace {
constexpr std::int64_t kMostSteps = 1'000'000;
constexpr double kMostSeconds = 86'400;

bool isClean(const json &text)
{
    return text.is_string() && text.get_ref<const std::string &>().find('\0') == std::string::npos;
}
} // namespace

const json *RpcParams::find(const char *key) const
{
    const auto it = m_params.find(key);
    return it == m_params.end() || it->is_null() ? nullptr : &*it;
}

void RpcParams::wrong(const char *key, const std::string &expected)
{
    if (m_error.empty())
        m_error = std::string("\"") + key + "\" must be " + expected + ".";
}

bool RpcParams::flag(const char *key, bool otherwise)
{
    const json *value = find(key);
    if (value == nullptr)
        return otherwise;
    if (!value->is_boolean()) {
        wrong(key, "true or false");
        return otherwise;
    }
    return value->get<bool>();
}

std::int64_t RpcParams::number(const char *key, std::int64_t otherwise, std::int64_t least, std::int64_t most)
{
    const json *value = find(key);
    if (value == nullptr)
        return otherwise;
    const bool fits =
        value->is_number_integer() && !(value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX);
    if (!fits || value->get<std::int64_t>() < least || value->get<std::int64_t>() > most) {
        wrong(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
        return otherwise;
    }
    return value->get<std::int64_t>();
}

std::string RpcParams::text(const char *key, const std::string &otherwise)
{
    const json *value = find(key);
    if (value == nullptr)
        return otherwise;
    if (!isClean(*value)) {
        wrong(key, "a text");
        return otherwise;
    }
    return value->get<std::string>();
}

std::vector<std::string> RpcParams::texts(const char *key)
{
    const json *value = find(key);
    std::vector<std::string> list;
    if (value == nullptr || !value->is_array() || value->empty()) {
        wrong(key, "a list of texts, not empty");
        return list;
    }
    for (const auto &entry : *value) {
        if (!isClean(entry)) {
            wrong(key, "a list of texts");
            return {};
        }
        list.push_back(entry.get<std::string>());
    }
    return list;
}

Environment RpcParams::environment(const char *key, Environment base)
{
    const json *value = find(key);
    if (value == nullptr)
        return base;
    if (!value->is_object()) {
        wrong(key, "an object of texts or nulls");
        return base;
    }
    for (const auto &[name, entry] : value->items()) {
        if (entry.is_null())
            base.erase(name);
        else if (isClean(entry) && !name.empty() && name.find('=') == std::string::npos)
            base[name] = entry.get<std::string>();
        else
            wrong(key, "an object of texts or nulls");
    }
    return base;
}

CapturePlan RpcParams::plan(const std::string &name)
{
    CapturePlan plan;
    const std::string out = text("out");
    plan.out = out.empty() ? defaultOutput(name) : std::filesystem::path(out);
    const json *warmup = find("warmup");
    plan.warmupSteps =
        warmup == nullptr || *warmup == "auto" ? kAutoWarmup : number("warmup", kAutoWarmup, 0, kMostSteps);
    plan.windowSteps = number("steps", 0, 1, kMostSteps);
    if (const json *seconds = find("seconds")) {
        const double value = seconds->is_number() ? seconds->get<double>() : -1;
        if (value > 0 && value <= kMostSeconds)
            plan.windowNs = std::llround(value * 1e9);
        else
            wrong("seconds", "a number above 0, at most 86400");
    }
    if (const auto detail = parseDetail(text("detail", "normal")))
        plan.detail = *detail;
    else
        wrong("detail", "light, normal or full");
    if (const auto graphs = parseGraphs(text("graphs", "kernels")))
        plan.graphs = *graphs;
    else
        wrong("graphs", "kernels or whole");
    plan.force = flag("force", false);
    plan.join = flag("join", false);
    return plan;
}

} // namespace tuneline::capture
