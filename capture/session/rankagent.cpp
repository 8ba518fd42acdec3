// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/rankagent.h"

#include "capture/session/ranks.h"
#include "capture/session/targetlibraries.h"

#include <tuple>

namespace tuneline::capture {

using format::AgentState;

namespace {

bool isOver(AgentState state)
{
    return state == AgentState::Finished || state == AgentState::Failed;
}

SessionState toSession(AgentState state)
{
    switch (state) {
    case AgentState::Dormant:
        return SessionState::Dormant;
    case AgentState::WarmingUp:
        return SessionState::WarmingUp;
    case AgentState::Baseline:
        return SessionState::Baseline;
    case AgentState::Recording:
        return SessionState::Recording;
    case AgentState::BaselineAfter:
        return SessionState::BaselineAfter;
    case AgentState::Finished:
        return SessionState::Finished;
    case AgentState::Failed:
        break;
    }
    return SessionState::Failed;
}

} // namespace

Result<std::unique_ptr<RankAgent>> RankAgent::connect(Poller &poller, const std::filesystem::path &socket)
{
    std::unique_ptr<RankAgent> agent(new RankAgent);
    RankAgent *self = agent.get(); // the link, and with it the callbacks, die with the agent
    auto link = AgentLink::connect(poller, socket,
                                   {[self](const format::HelloMessage &hello) { self->m_hello = hello; },
                                    [self](const format::StatusMessage &status) { self->take(status); },
                                    [self](const Error &reason) { self->m_closed = reason; }});
    if (!link)
        return tl::make_unexpected(link.error());
    agent->m_link = std::move(*link);
    return agent;
}

void RankAgent::take(const format::StatusMessage &status)
{
    // An answer to a query of the last window may still be on its way when the next one is armed.
    if (m_file && !m_answered && (status.state == AgentState::Finished || status.state == AgentState::Dormant))
        return;
    m_answered = true;
    m_status = status;
}

std::optional<int> RankAgent::rank() const
{
    return m_hello && m_hello->rank >= 0 ? std::optional<int>(m_hello->rank) : std::nullopt;
}

bool RankAgent::capturable(const ProcFs &proc)
{
    if (m_capturable || !m_hello)
        return m_capturable;
    m_capturable = m_hello->torchFound != 0 || m_hello->cudaFound != 0;
    if (!m_capturable) {
        const auto found = findLibraries(proc.maps(pid()).value_or(""));
        m_capturable = found.torch || found.cuda;
    }
    return m_capturable;
}

int RankAgent::localSize(const ProcFs &proc)
{
    if (!m_localSize)
        m_localSize = localSizeIn(proc.environment(pid())).value_or(-1);
    return *m_localSize;
}

bool RankAgent::launcher(const ProcFs &proc)
{
    if (!m_launcher)
        m_launcher = isLauncher(proc.commandLine(pid()));
    return *m_launcher;
}

void RankAgent::arm(std::size_t file, const format::ArmMessage &message)
{
    m_file = file;
    m_answered = false;
    m_status = {};
    if (!m_link->arm(message) && !m_closed)
        m_closed = Error{Error::Code::AgentSilent,
                         "The agent in process " + std::to_string(pid()) + " doesn't read its messages.",
                         {}};
}

void RankAgent::standDown()
{
    m_standsDown = true;
    stopWindow();
}

void RankAgent::release()
{
    m_standsDown = false;
    m_file.reset();
    m_status = {};
}

bool RankAgent::running() const
{
    return m_file && !m_closed && !(m_answered && isOver(m_status.state));
}

RankProgress RankAgent::progress() const
{
    RankProgress progress;
    progress.pid = pid();
    progress.rank = rank();
    progress.state = m_file && !m_answered ? SessionState::WarmingUp : toSession(m_status.state);
    if (m_closed && m_file && !isOver(m_status.state))
        progress.state = SessionState::Failed;
    progress.stepsSeen = m_status.stepsSeen;
    progress.windowSteps = m_status.windowStepsDone;
    progress.records = m_status.records;
    progress.dropped = m_status.dropped;
    progress.bytes = m_status.bytesWritten;
    progress.message = textOf(m_status.message);
    return progress;
}

} // namespace tuneline::capture
