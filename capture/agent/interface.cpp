// SPDX-License-Identifier: MIT
#include "capture/agent/agent.h"
#include "capture/agent/agent_api.h"
#include "capture/agent/hot.h"
#include "capture/agent/marks.h"
#include "capture/agent/operators.h"
#include "capture/agent/recorder.h"

namespace tuneline::agent {

namespace {

std::uint64_t opBegin(const void *key, const char *name, std::uint32_t scope) noexcept
{
    if (!g_hot.armed.load(std::memory_order_relaxed))
        return 0;
    if (scope == static_cast<std::uint32_t>(format::OpScope::User))
        noteUserScope(name);
    return beginOp(key, name, scope);
}

void opEnd(const void *key) noexcept
{
    endOp(key);
}

void opDetail(std::uint64_t op, std::int64_t sequence, std::uint64_t forwardThread, std::uint64_t logicalThread,
              const char *shapes, std::size_t shapesLength, const char *types, std::size_t typesLength) noexcept
{
    addOpDetail({op, sequence, forwardThread, logicalThread, 0, 0}, {shapes, shapesLength, types, typesLength});
}

void mark(std::uint32_t kind, const char *name, const char *text, double value) noexcept
{
    onMark(control().tracker(), kind, name, text, value);
}

} // namespace

const tuneline_agent_api &interfaceTable() noexcept
{
    static constexpr tuneline_agent_api kTable{
        TUNELINE_AGENT_API_VERSION, sizeof(tuneline_agent_api), opBegin, opEnd, opDetail, mark};
    return kTable;
}

} // namespace tuneline::agent
