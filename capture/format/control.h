// SPDX-License-Identifier: MIT
// What the session and the agent say to each other over the agent's unix socket
// ($TUNELINE_SOCKET_DIR/<pid>.sock, else $XDG_RUNTIME_DIR/tuneline/, else /tmp/tuneline-<uid>/; mode 0600, SO_PEERCRED
// checked on both sides). Fixed-size messages; data goes to the capture file, never through the socket.
#pragma once

#include <cstdint>

namespace tuneline::format {

// Version log. The side with the newer protocol adapts or says in plain words why it can't.
// 1: first version.
inline constexpr std::uint32_t kControlVersion = 1;
inline constexpr std::uint32_t kControlMagic = 0x314C4E54; // "TNL1"

enum class ControlKind : std::uint32_t {
    Hello = 1, // agent → session, at once after accept
    Arm = 2, // session → agent
    Stop = 3, // session → agent: end the window now, keep what there is
    Query = 4, // session → agent: answer with Status
    Status = 5, // agent → session: answer to Arm, Stop and Query, and unasked at each change of state
};

struct ControlHeader
{
    std::uint32_t magic = kControlMagic;
    std::uint32_t version = kControlVersion;
    ControlKind kind{};
    std::uint32_t payloadBytes = 0;
};
static_assert(sizeof(ControlHeader) == 16);

enum class Detail : std::uint32_t { Light = 0, Normal = 1, Full = 2 };
// CUDA graphs: a record for each kernel, or one for each launch of the graph. CUPTI gives one or the other.
enum class Graphs : std::uint32_t { Kernels = 0, Whole = 1 };

// Texts are zero-terminated UTF-8, cut if too long.
struct HelloMessage
{
    std::int32_t pid = 0;
    std::uint32_t uid = 0;
    std::uint64_t processStart = 0; // field 22 of /proc/self/stat: tells a reused pid
    std::uint32_t torchFound = 0; // libtorch_cpu is mapped
    std::uint32_t cudaFound = 0; // libcuda is mapped
    std::int32_t rank = -1; // RANK, OMPI_COMM_WORLD_RANK, SLURM_PROCID; -1 = not distributed
    std::int32_t worldSize = -1;
    char agentVersion[32] = {};
    char executable[256] = {};
};

struct ArmMessage
{
    char path[1024] = {}; // capture file to write; must not exist
    std::int64_t warmupSteps = -1; // steps to let pass first; -1 = auto: until step times are steady, at most 50
    std::int64_t windowSteps = 0; // 0 = no limit
    std::int64_t windowNs = 0; // 0 = no limit; of both limits the first reached ends the window
    std::int64_t baselineSteps = 4; // plain steps to time before and after the window, for the capture slow-down
    Detail detail = Detail::Normal;
    Graphs graphs = Graphs::Kernels; // formerly reserved, 0
    char metadata[8192] = {}; // a JSON object that the session wants in the file, written as it is
};

enum class AgentState : std::uint32_t {
    Dormant = 0,
    WarmingUp = 1, // armed, letting steps pass
    Baseline = 2, // timing plain steps before the window
    Recording = 3,
    BaselineAfter = 4, // window closed, timing plain steps after it
    Finished = 5, // file complete
    Failed = 6, // message says why; the program itself goes on undisturbed
};

struct StatusMessage
{
    AgentState state = AgentState::Dormant;
    std::uint32_t error = 0; // errno, or a CUPTI result; 0 = none
    std::int64_t stepsSeen = 0; // since armed
    std::int64_t windowStepsDone = 0;
    std::uint64_t records = 0;
    std::uint64_t dropped = 0;
    std::uint64_t bytesWritten = 0;
    char message[512] = {};
};

} // namespace tuneline::format
