// SPDX-License-Identifier: GPL-3.0-or-later
// The server behind `tuneline-cli serve`: JSON-RPC 2.0 lines on two file descriptors, as PROTOCOL.md has it.
#pragma once

#include "capture/session/gdbinjector.h"
#include "capture/session/jsonrpc.h"
#include "capture/session/linesplitter.h"
#include "capture/session/poller.h"
#include "capture/session/rpcparams.h"
#include "capture/session/servedprogram.h"

#include <map>
#include <memory>
#include <vector>

namespace tuneline::capture {

class Server
{
public:
    // The file descriptors stay the caller's.
    Server(int input, int output);
    // Until the input ends, shutdown is asked for, or a signal comes. Detaches from everything; kills nothing.
    void run();

private:
    using Answer = Result<nlohmann::json>;
    using Handler = Answer (Server::*)(RpcParams &);

    void readInput();
    void handleLine(const LineSplitter::Line &line);
    [[nodiscard]] std::string answer(const RpcRequest &request);
    void look();
    void finish();
    void send(std::string line);

    Answer hello(RpcParams &params);
    Answer list(RpcParams &params);
    Answer launchProgram(RpcParams &params);
    Answer attachProgram(RpcParams &params);
    Answer arm(RpcParams &params);
    Answer stop(RpcParams &params);
    Answer status(RpcParams &params);
    Answer terminate(RpcParams &params);
    Answer detach(RpcParams &params);
    Answer fetch(RpcParams &params);
    Answer shutdown(RpcParams &params);

    [[nodiscard]] Result<ServedProgram *> find(RpcParams &params);
    ServedProgram &add(Target target);

    int m_input, m_output;
    Poller m_poller;
    LineSplitter m_lines;
    GdbInjector m_injector;
    ProcFs m_proc;
    std::map<int, std::unique_ptr<ServedProgram>> m_programs;
    std::vector<pid_t> m_released; // launched by us, detached, not yet ended: to be reaped
    int m_nextId = 1;
    bool m_ending = false, m_writable = true;
};

} // namespace tuneline::capture
