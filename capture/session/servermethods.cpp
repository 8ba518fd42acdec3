// SPDX-License-Identifier: GPL-3.0-or-later
// What the methods of PROTOCOL.md do.
#include "capture/session/agentlibrary.h"
#include "capture/session/attach.h"
#include "capture/session/fetch.h"
#include "capture/session/outputpath.h"
#include "capture/session/server.h"
#include "capture/session/sessionjson.h"

#include <array>
#include <fcntl.h>
#include <unistd.h>

namespace tuneline::capture {

using nlohmann::json;

namespace {

constexpr int kProtocol = 1; // PROTOCOL.md, Protocol versions

const auto kWrongParams =
    Error{Error::Code::BadRequest, "The parameters are wrong.", {}}; // RpcParams::error() says more

std::string hostName()
{
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

json orNull(const std::string &text)
{
    return text.empty() ? json() : json(text);
}

struct Outputs
{
    OutputFile out, err;
};

Result<Outputs> makeOutputs()
{
    auto out = OutputFile::create();
    if (!out)
        return tl::make_unexpected(out.error());
    auto err = OutputFile::create();
    if (!err)
        return tl::make_unexpected(err.error());
    return Outputs{std::move(*out), std::move(*err)};
}

} // namespace

Server::Answer Server::hello(RpcParams &)
{
    const auto agent = findAgent();
    const bool debugger = m_injector.selfTest();
    return json{
        {"protocol", kProtocol},
        {"server", "tuneline-cli " TUNELINE_VERSION},
        {"pid", getpid()},
        {"host", hostName()},
        {"user", userName(geteuid())},
        {"cwd", std::filesystem::current_path().string()},
        {"agent",
         {{"path", agent ? json(agent->string()) : json()}, {"why", agent ? json() : json(agent.error().message)}}},
        {"debugger", {{"usable", debugger}, {"why", orNull(m_injector.errorString())}}}};
}

Server::Answer Server::list(RpcParams &)
{
    const auto agent = findAgent();
    return json{{"processes",
                 toJson(listProcesses(m_proc, self(m_proc), m_injector, agent.value_or(std::filesystem::path())))}};
}

Server::Answer Server::launchProgram(RpcParams &params)
{
    LaunchRequest request;
    request.commandLine = params.texts("argv");
    request.folder = params.text("cwd");
    request.environment = params.environment("env", ownEnvironment());
    request.ownSession = true;
    const bool arms = params.flag("arm", true), stopAfter = params.flag("stop_after", false);
    const auto name = programName(request.commandLine);
    const auto plan = params.plan(name);
    if (!params.error().empty())
        return tl::make_unexpected(kWrongParams);
    if (arms) {
        if (const auto out = prepareOutput(plan, ownEnvironment()); !out)
            return tl::make_unexpected(out.error());
    }
    auto outputs = makeOutputs();
    if (!outputs)
        return tl::make_unexpected(outputs.error());
    const UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    request.input = nothing.get();
    request.output = outputs->out.writer();
    request.error = outputs->err.writer();
    const auto process = launch(request);
    if (!process)
        return tl::make_unexpected(process.error());
    const auto folder = request.folder.empty() ? std::filesystem::current_path() : request.folder;
    auto &program = add({process->pid, process->tag, process->socketFolder, request.commandLine, folder, name});
    program.setOutputs(std::move(outputs->out), std::move(outputs->err));
    program.setLaunched(stopAfter);
    json result{{"session", program.id()}, {"pid", process->pid}, {"out", nullptr}};
    if (!arms)
        return result;
    // The program runs by now, and its client must hear of it: a window that can't be opened is no failed launch.
    if (const auto out = program.capture().arm(plan))
        result["out"] = out->string();
    return result;
}

Server::Answer Server::attachProgram(RpcParams &params)
{
    const auto pid = static_cast<pid_t>(params.number("pid", 0, 1, INT32_MAX));
    const bool arms = params.flag("arm", true), debugger = params.flag("debugger", true);
    const auto plan = params.plan(programName(m_proc.commandLine(pid)));
    if (pid == 0 || !params.error().empty())
        return fail(Error::Code::BadRequest, "\"pid\" must be given.");
    if (arms) {
        if (const auto out = prepareOutput(plan, ownEnvironment()); !out)
            return tl::make_unexpected(out.error());
    }
    auto attached = attachTo(pid, debugger ? &m_injector : nullptr, m_proc);
    if (!attached)
        return tl::make_unexpected(attached.error());
    auto &program = add(std::move(attached->target));
    json result{{"session", program.id()},
                {"pid", pid},
                {"out", nullptr},
                {"how", attached->way == CaptureWay::Agent ? "agent" : "debugger"},
                {"remark", orNull(attached->remark)}};
    if (arms) {
        const auto out = program.capture().arm(plan);
        if (!out)
            return tl::make_unexpected(out.error());
        result["out"] = out->string();
    }
    return result;
}

Server::Answer Server::arm(RpcParams &params)
{
    const auto program = find(params);
    if (!program)
        return tl::make_unexpected(program.error());
    const auto plan = params.plan((*program)->capture().target().name);
    if (!params.error().empty())
        return tl::make_unexpected(kWrongParams);
    return (*program)->capture().arm(plan).map([](const auto &out) { return json{{"out", out.string()}}; });
}

Server::Answer Server::stop(RpcParams &params)
{
    return find(params).map([](ServedProgram *program) {
        program->capture().stopWindow();
        return json::object();
    });
}

Server::Answer Server::status(RpcParams &params)
{
    return find(params).map([](ServedProgram *program) { return program->progress(); });
}

Server::Answer Server::terminate(RpcParams &params)
{
    const auto program = find(params);
    if (!program)
        return tl::make_unexpected(program.error());
    if (!(*program)->terminate())
        return fail(Error::Code::NotPermitted,
                    "Only a program that was launched from here, and still runs, is ended from here.");
    return json::object();
}

Server::Answer Server::detach(RpcParams &params)
{
    return find(params).map([](ServedProgram *program) {
        program->detach();
        return json::object();
    });
}

Server::Answer Server::fetch(RpcParams &params)
{
    const auto path = params.text("path");
    const auto offset = params.number("offset", 0, 0, INT64_MAX);
    const auto bytes = params.number("bytes", static_cast<std::int64_t>(kLargestPiece), 1, INT64_MAX);
    if (!params.error().empty())
        return tl::make_unexpected(kWrongParams);
    return fetchPiece(path, static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bytes))
        .map([](const FilePiece &piece) {
            return json{{"offset", piece.offset},
                        {"bytes", piece.bytes.size()},
                        {"size", piece.size},
                        {"eof", piece.offset + piece.bytes.size() >= piece.size},
                        {"data", toBase64(piece.bytes)}};
        });
}

Server::Answer Server::shutdown(RpcParams &)
{
    m_ending = true;
    return json::object();
}

Result<ServedProgram *> Server::find(RpcParams &params)
{
    const auto id = static_cast<int>(params.number("session", 0, 1, INT32_MAX));
    const auto it = m_programs.find(id);
    if (it == m_programs.end())
        return fail(Error::Code::NoSuchSession, "There is no session " + std::to_string(id) + ".",
                    "A session is gone after exited, and after detach.");
    return it->second.get();
}

ServedProgram &Server::add(Target target)
{
    const int id = m_nextId++;
    const auto notify = [this](std::string_view method, json params) { send(makeNotification(method, params)); };
    auto program = std::make_unique<ServedProgram>(m_poller, id, std::move(target), notify);
    return *m_programs.emplace(id, std::move(program)).first->second;
}

} // namespace tuneline::capture
