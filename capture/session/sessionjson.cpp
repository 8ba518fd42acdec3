// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/sessionjson.h"

namespace tuneline::capture {

using nlohmann::json;

namespace {

template <typename T> json orNull(const std::optional<T> &value)
{
    return value ? json(*value) : json();
}

json toJson(const ListedProcess &process)
{
    json entry{{"pid", process.pid},
               {"name", process.name},
               {"user", process.user},
               {"command_line", process.commandLine},
               {"torch", orNull(process.torch)},
               {"cuda", process.cuda},
               {"rank", orNull(process.rank)},
               {"capturable", process.way != CaptureWay::None},
               {"how", nullptr},
               {"why", nullptr}};
    if (process.way != CaptureWay::None)
        entry["how"] = process.way == CaptureWay::Agent ? "agent" : "debugger";
    if (!process.why.empty())
        entry["why"] = process.why;
    return entry;
}

json toJson(const RankProgress &rank)
{
    return {{"pid", rank.pid},
            {"rank", orNull(rank.rank)},
            {"state", stateName(rank.state)},
            {"steps_seen", rank.stepsSeen},
            {"window_steps", rank.windowSteps},
            {"records", rank.records},
            {"dropped", rank.dropped},
            {"bytes", rank.bytes},
            {"message", rank.message}};
}

json toJson(const CapturedFile &file)
{
    return {{"path", file.path.string()},     {"pid", file.pid},
            {"rank", orNull(file.rank)},      {"bytes", file.facts.bytes},
            {"records", file.facts.records},  {"dropped", file.facts.complete ? json(file.facts.dropped) : json()},
            {"complete", file.facts.complete}};
}

template <typename T> json toArray(const std::vector<T> &items)
{
    auto array = json::array();
    for (const auto &item : items)
        array.push_back(toJson(item));
    return array;
}

} // namespace

json toJson(const std::vector<ListedProcess> &processes)
{
    return toArray(processes);
}

json toJson(const SessionProgress &progress)
{
    return {{"state", stateName(progress.state)},   {"steps_seen", progress.stepsSeen},
            {"window_steps", progress.windowSteps}, {"records", progress.records},
            {"dropped", progress.dropped},          {"bytes", progress.bytes},
            {"message", progress.message},          {"ranks", toArray(progress.ranks)}};
}

json toJson(const Captured &captured)
{
    return {{"path", captured.path.string()},
            {"complete", captured.complete},
            {"message", captured.message},
            {"files", toArray(captured.files)}};
}

std::string dumpJson(const json &document)
{
    return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string_view errorName(Error::Code code) noexcept
{
    switch (code) {
    case Error::Code::NoSuchProcess:
        return "no-such-process";
    case Error::Code::NotPermitted:
        return "not-permitted";
    case Error::Code::NotCapturable:
        return "not-capturable";
    case Error::Code::AgentMissing:
        return "agent-missing";
    case Error::Code::AgentSilent:
        return "agent-silent";
    case Error::Code::InjectionFailed:
        return "injection-failed";
    case Error::Code::LaunchFailed:
        return "launch-failed";
    case Error::Code::OutputExists:
        return "output-exists";
    case Error::Code::OutputUnwritable:
        return "output-unwritable";
    case Error::Code::NothingCaptured:
        return "nothing-captured";
    case Error::Code::Busy:
        return "busy";
    case Error::Code::BadRequest:
        return "bad-request";
    case Error::Code::NoSuchSession:
        return "no-such-session";
    case Error::Code::ReadFailed:
        return "read-failed";
    }
    return "bad-request";
}

} // namespace tuneline::capture
