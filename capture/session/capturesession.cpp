// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/capturesession.h"

#include "capture/session/launchenvironment.h"
#include "capture/session/metadata.h"
#include "capture/session/outputpath.h"
#include "capture/session/ranks.h"

#include <algorithm>

namespace tuneline::capture {

using format::AgentState;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr milliseconds kTick{50};
constexpr unsigned kQueryTicks = 4; // five answers a second
// Ranks of one job start within a second or two of each other; they are armed together so that their windows cover the
// same steps.
constexpr seconds kRanksTogether{2};
// The same where the launcher says how many there are: on a busy machine some import LibTorch much later than others.
constexpr seconds kKnownRanks{20};
// Each rank would judge for itself when its steps are steady, and so open its window at another step than the others.
constexpr std::int64_t kRanksWarmup = 10;
constexpr seconds kStopLimit{5}; // an agent that hasn't ended its window by then is stuck

} // namespace

CaptureSession::CaptureSession(Poller &poller, Target target, CaptureCallbacks callbacks, ProcFs proc)
    : m_poller(poller)
    , m_target(std::move(target))
    , m_callbacks(std::move(callbacks))
    , m_proc(std::move(proc))
    , m_finder(m_target, m_proc)
{
    m_timer = m_poller.every(kTick, [this] { tick(); });
}

CaptureSession::~CaptureSession()
{
    m_poller.cancel(m_timer);
}

Result<std::filesystem::path> CaptureSession::arm(CapturePlan plan)
{
    if (m_window)
        return fail(Error::Code::Busy, "A window is already open.", "Stop it first, or wait until it is over.");
    auto out = prepareOutput(plan, ownEnvironment());
    if (!out)
        return out;
    plan.out = *out;
    const auto limit = sizeof(format::ArmMessage::metadata) - 1;
    m_window.emplace(plan, RankFiles(*out, plan.join, plan.force));
    m_window->metadata = sessionMetadata(m_target.commandLine, gitRevision(m_target.folder), limit);
    m_result.reset();
    m_lastWaiting = 0;
    return out;
}

void CaptureSession::stopWindow()
{
    if (!m_window || m_window->giveUp)
        return;
    m_window->giveUp = Poller::Clock::now() + kStopLimit;
    for (const auto &agent : m_agents) {
        if (agent->running())
            agent->stopWindow();
    }
}

SessionProgress CaptureSession::progress() const
{
    std::vector<RankProgress> ranks;
    for (const auto &agent : m_agents) {
        if (agent->file() || (!m_window && agent->greeted()))
            ranks.push_back(agent->progress());
    }
    auto all = summarise(std::move(ranks));
    if (m_result)
        all.state = *m_result;
    return all;
}

void CaptureSession::tick()
{
    ++m_ticks;
    connectNew();
    if (m_window) {
        if (!m_window->giveUp)
            armReady();
        settleDone();
        finishIfOver();
    }
    std::erase_if(m_agents, [](const auto &agent) { return agent->closedBy() && !agent->file(); });
    if (m_ticks % kQueryTicks == 0) {
        for (const auto &agent : m_agents) {
            if (agent->running())
                agent->query();
        }
        report();
    }
}

void CaptureSession::connectNew()
{
    for (const auto &socket : m_finder.findNew()) {
        auto agent = RankAgent::connect(m_poller, socket.path);
        if (agent) {
            m_agents.push_back(std::move(*agent));
            m_everAgent = true;
        } else if (agent.error().code == Error::Code::NoSuchProcess) {
            m_finder.forget(socket.path); // bound, but not listening yet
        }
    }
}

bool CaptureSession::joins(RankAgent &agent)
{
    if (agent.file() || !agent.connected() || !agent.capturable(m_proc) || agent.launcher(m_proc))
        return false;
    m_everCapturable = true;
    return !isHelper(agent);
}

// A process that another one started and that has the same rank is its helper (a data loader's worker that was
// spawned), no rank of its own.
bool CaptureSession::isHelper(const RankAgent &agent)
{
    return std::any_of(m_agents.begin(), m_agents.end(), [&](const auto &other) {
        const bool counts = other->file() || (other->connected() && other->capturable(m_proc));
        return counts && other->pid() != agent.pid() && other->rank() == agent.rank() && !other->launcher(m_proc)
            && m_proc.descends(agent.pid(), other->pid());
    });
}

// A program that isLauncher() doesn't know was taken for a training process, until ranks turned up below it.
void CaptureSession::standLaunchersDown()
{
    for (const auto &agent : m_agents) {
        const bool startedRanks =
            agent->file() && !agent->rank() && !agent->standsDown()
            && std::any_of(m_agents.begin(), m_agents.end(), [&](const auto &other) {
                   return other->rank() && other->pid() != agent->pid() && m_proc.descends(other->pid(), agent->pid());
               });
        if (startedRanks)
            agent->standDown();
    }
}

// A rank that turns up when others have closed their window would record other steps.
bool CaptureSession::isLate() const
{
    return !m_window->kept.empty() || std::any_of(m_agents.begin(), m_agents.end(), [](const auto &agent) {
        return agent->file() && !agent->standsDown() && agent->status().state > AgentState::Recording;
    });
}

void CaptureSession::armReady()
{
    standLaunchersDown();
    std::vector<RankAgent *> waiting;
    for (const auto &agent : m_agents) {
        if (joins(*agent))
            waiting.push_back(agent.get());
    }
    if (waiting.empty() || isLate() || !allThere(waiting))
        return;
    const bool several =
        std::any_of(waiting.begin(), waiting.end(), [](auto *agent) { return agent->worldSize() > 1; });
    std::stable_sort(waiting.begin(), waiting.end(), [](auto *a, auto *b) { return a->rank() < b->rank(); });
    for (RankAgent *agent : waiting)
        armOne(*agent, several || waiting.size() > 1);
}

bool CaptureSession::allThere(const std::vector<RankAgent *> &waiting)
{
    const auto now = Poller::Clock::now();
    if (waiting.size() != m_lastWaiting) {
        m_lastWaiting = waiting.size();
        m_lastArrival = now;
    }
    int world = 1, local = -1;
    for (auto *agent : waiting) {
        world = std::max(world, agent->worldSize());
        local = std::max(local, agent->localSize(m_proc));
    }
    // srun tuneline-cli record …: one rank for each of us. Waiting would let it train ahead of those of other nodes.
    const auto ownRank = rankIn(ownEnvironment());
    if (local < 0 && ownRank && waiting.front()->rank() == ownRank)
        local = 1;
    // Other ranks may run on other machines, so the size of the world is only a reason to wait a little.
    const auto expected = static_cast<std::size_t>(local > 0 ? local : world);
    if (local > 0)
        m_window->expected = expected;
    return waiting.size() >= expected || now - m_lastArrival >= (local > 0 ? kKnownRanks : kRanksTogether);
}

void CaptureSession::armOne(RankAgent &agent, bool several)
{
    const auto index = m_window->files.add(agent.rank(), several);
    if (!index) {
        m_window->trouble = index.error().message + ' ' + index.error().advice;
        stopWindow();
        return;
    }
    const CapturePlan &plan = m_window->plan;
    format::ArmMessage message;
    setText(message.path, m_window->files.file(*index).string());
    setText(message.metadata, m_window->metadata);
    message.warmupSteps = several && plan.warmupSteps == kAutoWarmup ? kRanksWarmup : plan.warmupSteps;
    message.windowSteps = plan.windowSteps;
    message.windowNs = plan.windowNs;
    message.detail = plan.detail;
    message.graphs = plan.graphs;
    ++m_window->seen;
    agent.arm(*index, message);
}

void CaptureSession::settleDone()
{
    const bool givingUp = m_window->giveUp && Poller::Clock::now() >= *m_window->giveUp;
    for (const auto &agent : m_agents) {
        if (agent->file() && !agent->standsDown())
            m_window->mostSteps = std::max(m_window->mostSteps, agent->status().stepsSeen);
        if (agent->file() && (!agent->running() || givingUp))
            settle(*agent);
    }
}

void CaptureSession::settle(RankAgent &agent)
{
    Window &window = *m_window;
    const auto index = *agent.file();
    const auto facts = readCaptureFile(window.files.file(index));
    if (agent.standsDown()) {
        window.files.discard(index);
        agent.release();
        return;
    }
    if (agent.status().state == AgentState::Failed && window.trouble.empty())
        window.trouble = textOf(agent.status().message);
    if (facts && facts->records > 0) {
        noteShortcomings(agent.status());
        window.kept.push_back({window.files.file(index), agent.pid(), agent.rank(), *facts});
    } else {
        window.files.discard(index);
        if (agent.rank())
            window.lost += (window.lost.empty() ? "" : ", ") + std::to_string(*agent.rank());
    }
    agent.release();
}

void CaptureSession::noteShortcomings(const format::StatusMessage &status)
{
    Window &window = *m_window;
    if (status.state != AgentState::Finished || !window.note.empty())
        return;
    window.note = textOf(status.message); // CUPTI held by another tool, for example
    if (!window.note.empty() || window.giveUp || window.plan.windowSteps == 0 || window.plan.windowNs != 0)
        return;
    if (status.windowStepsDone == 0)
        window.note =
            "No step was seen, so the window was ended by time. Steps are known from optimizer and profiler scopes "
            "(Python) or from marks: call tuneline_step() of tuneline/marks.h at the start of each.";
    else if (status.windowStepsDone < window.plan.windowSteps)
        window.note = "The window holds " + std::to_string(status.windowStepsDone) + " of "
            + std::to_string(window.plan.windowSteps) + " steps: no more came.";
}

void CaptureSession::finishIfOver()
{
    const bool busy =
        std::any_of(m_agents.begin(), m_agents.end(), [](const auto &agent) { return agent->file().has_value(); });
    Window &window = *m_window;
    if (busy || (window.kept.empty() && window.trouble.empty() && !window.giveUp && !rootGone()))
        return;
    if (window.kept.empty()) {
        const Error error = whyNothing();
        m_result = SessionState::Failed;
        m_window.reset();
        report();
        m_callbacks.failed(error);
        return;
    }
    Captured captured{window.files.out(), true, {}, std::move(window.kept)};
    for (const auto &file : captured.files)
        captured.complete = captured.complete && file.facts.complete;
    captured.message = remarks(captured);
    m_result = SessionState::Finished;
    m_window.reset();
    report();
    m_callbacks.captured(captured);
}

// What the user must know of a window that left something.
std::string CaptureSession::remarks(const Captured &captured) const
{
    const Window &window = *m_window;
    std::vector<std::string> said;
    if (!window.trouble.empty())
        said.push_back(window.trouble);
    if (!window.lost.empty())
        said.push_back("Nothing was recorded of rank " + window.lost + ": it ended before its window opened.");
    else if (captured.files.size() < window.expected && window.seen < window.expected)
        said.push_back("Only " + std::to_string(window.seen) + " of the " + std::to_string(window.expected)
                       + " ranks on this machine took part: no agent came up in the others. Do they clear LD_PRELOAD?");
    std::string cut;
    for (const auto &file : captured.files) {
        if (!file.facts.complete && file.rank)
            cut += (cut.empty() ? "Rank " : ", ") + std::to_string(*file.rank);
    }
    if (!captured.complete && window.trouble.empty())
        said.push_back((cut.empty() ? "The program" : cut) + " ended in the window; what it did until then is kept.");
    if (!window.note.empty())
        said.push_back(window.note);
    std::string all;
    for (const auto &text : said)
        all += (all.empty() ? "" : " ") + text;
    return all;
}

bool CaptureSession::rootGone() const
{
    // A launched program is gone when its owner has reaped it, and knows how it ended.
    if (!m_rootEnd && (!m_target.tag.empty() || m_proc.alive(m_target.root)))
        return false;
    // Its children may go on without it (a launcher that doesn't wait).
    return std::none_of(m_agents.begin(), m_agents.end(), [](const auto &agent) { return agent->connected(); });
}

Error CaptureSession::whyNothing() const
{
    const Window &window = *m_window;
    const auto code = Error::Code::NothingCaptured;
    const std::string ended = m_target.name + " ended" + (m_rootEnd ? " (" + m_rootEnd->text() + ")" : "");
    const std::string steps = std::to_string(window.mostSteps) + (window.mostSteps == 1 ? " step" : " steps");
    if (!window.trouble.empty())
        return {code, window.trouble, {}};
    if (window.giveUp)
        return {code, "The capture was stopped after " + steps + ", before anything was recorded.",
                window.mostSteps == 0 ? "If the program makes steps but none is seen, use --warmup 0 with --seconds."
                                      : "A smaller --warmup opens the window earlier."};
    if (window.seen > 0)
        return {code, ended + " after " + steps + ", before the window opened.",
                window.mostSteps == 0 ? "If it makes steps but none is seen, use --warmup 0 with --seconds."
                                      : "A smaller --warmup opens the window earlier; or let the program run longer."};
    if (m_everAgent && !m_everCapturable)
        return {code, ended + " without having used LibTorch or CUDA.", "Is it the training program itself?"};
    return {code, ended + ", and no agent came up in it.",
            "Does it use LibTorch or CUDA? Programs that are statically linked, that are set-user-id, or that clear "
            "LD_PRELOAD "
            "can't take the agent in."};
}

void CaptureSession::report()
{
    auto now = progress();
    if (m_everReported && now == m_reported)
        return;
    m_everReported = true;
    m_reported = std::move(now);
    m_callbacks.progress(m_reported);
}

} // namespace tuneline::capture
