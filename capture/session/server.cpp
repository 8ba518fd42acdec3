// SPDX-License-Identifier: GPL-3.0-or-later
// The server's life and its lines; what the methods do is in servermethods.cpp.
#include "capture/session/server.h"

#include "capture/session/signalwatch.h"

#include <array>
#include <cerrno>
#include <unistd.h>
#include <utility>

namespace tuneline::capture {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {
constexpr std::size_t kLongestRequest = 1U << 20;
constexpr milliseconds kLookInterval{50};
constexpr seconds kEndLimit{6}; // for windows without a limit to be closed; a session gives up after five
} // namespace

Server::Server(int input, int output)
    : m_input(input)
    , m_output(output)
    , m_lines(kLongestRequest)
{ }

void Server::run()
{
    const SignalWatch signals(m_poller, [this](int, bool) { m_poller.stop(); });
    m_poller.watch(m_input, [this] { readInput(); });
    m_poller.every(kLookInterval, [this] { look(); });
    m_poller.run();
    m_poller.unwatch(m_input);
    finish();
}

void Server::readInput()
{
    std::array<char, 65536> buffer;
    const auto got = read(m_input, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0) {
        m_poller.stop();
        return;
    }
    for (const auto &line : m_lines.feed({buffer.data(), static_cast<std::size_t>(got)})) {
        handleLine(line);
        if (m_ending) // what stands behind a shutdown is not done any more
            return;
    }
}

void Server::handleLine(const LineSplitter::Line &line)
{
    if (!line.whole) {
        if (line.ended)
            send(makeError(nullptr, RpcError::kParse, "parse-error", "The line is longer than 1 MiB."));
        return;
    }
    if (line.text.empty())
        return;
    const auto request = parseRequest(line.text);
    if (!request) {
        send(request.error());
        return;
    }
    auto response = answer(*request);
    if (!request->notification)
        send(std::move(response));
    if (m_ending)
        m_poller.stop();
}

std::string Server::answer(const RpcRequest &request)
{
    static const std::map<std::string, Handler, std::less<>> kHandlers{
        {"hello", &Server::hello},
        {"list", &Server::list},
        {"launch", &Server::launchProgram},
        {"attach", &Server::attachProgram},
        {"arm", &Server::arm},
        {"stop", &Server::stop},
        {"status", &Server::status},
        {"terminate", &Server::terminate},
        {"detach", &Server::detach},
        {"fetch", &Server::fetch},
        {"shutdown", &Server::shutdown},
    };
    const auto handler = kHandlers.find(request.method);
    if (handler == kHandlers.end())
        return makeError(request.id, RpcError::kMethodNotFound, "method-not-found",
                         "There is no method \"" + request.method + "\".");
    RpcParams params(request.params);
    try {
        const auto result = (this->*handler->second)(params);
        if (!params.error().empty())
            return makeError(request.id, RpcError::kInvalidParams, "invalid-params", params.error());
        return result ? makeResult(request.id, *result) : makeError(request.id, result.error());
    } catch (const std::exception &e) { // a bug, or no memory: one request fails, the captures go on
        return makeError(request.id, RpcError::kInternal, "internal-error",
                         std::string("Unexpected failure: ") + e.what());
    }
}

void Server::look()
{
    for (auto it = m_programs.begin(); it != m_programs.end();) {
        ServedProgram &program = *it->second;
        if (!program.look()) {
            ++it;
            continue;
        }
        if (program.launched())
            m_released.push_back(program.pid());
        it = m_programs.erase(it);
    }
    std::erase_if(m_released, [](pid_t pid) { return pollEnd(pid).has_value() || kill(pid, 0) != 0; });
}

void Server::finish()
{
    for (auto &[id, program] : m_programs)
        program->detach();
    const auto end = Poller::Clock::now() + kEndLimit;
    while (!m_programs.empty() && Poller::Clock::now() < end)
        m_poller.runOnce(kLookInterval);
}

void Server::send(std::string line)
{
    line += '\n';
    std::string_view rest = line;
    while (m_writable && !rest.empty()) {
        const auto written = write(m_output, rest.data(), rest.size());
        if (written < 0 && errno != EINTR) {
            m_writable = false; // nobody listens: the same as the end of the input
            m_poller.stop();
        }
        rest.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
}

} // namespace tuneline::capture
