// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/writers/eventargs.h"

#include "analysis/import/jsonscan.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tuneline::analysis {

namespace {

using Json = nlohmann::json;

void addKernel(const KernelDetail &k, Json &args)
{
    if (k.grid[0] > 0)
        args["grid"] = k.grid;
    if (k.block[0] > 0)
        args["block"] = k.block;
    if (k.registersPerThread >= 0)
        args["registers per thread"] = k.registersPerThread;
    if (k.sharedBytes >= 0)
        args["shared memory"] = k.sharedBytes;
    if (!std::isnan(k.occupancy))
        args["est. achieved occupancy %"] = std::lround(100 * k.occupancy);
    if (!std::isnan(k.blocksPerSm))
        args["blocks per SM"] = k.blocksPerSm;
    if (k.graphNode != 0)
        args["graph node id"] = k.graphNode;
}

// Shapes are kept as the JSON text that the trace had.
void addJsonText(const Trace &trace, StringId text, const char *key, Json &args)
{
    const std::string_view view = trace.strings.view(text);
    if (view.empty())
        return;
    const bool deep = json::nestingOf(view) > json::kMaxNesting;
    Json value = deep ? Json(std::string(view)) : Json::parse(view, nullptr, false);
    args[key] = value.is_discarded() ? Json(std::string(view)) : std::move(value);
}

void addOp(const Trace &trace, const OpDetail &op, Json &args)
{
    if (op.externalId != 0)
        args["External id"] = op.externalId;
    if (op.sequence >= 0)
        args["Sequence number"] = op.sequence;
    if (op.forwardThread >= 0)
        args["Fwd thread id"] = op.forwardThread;
    addJsonText(trace, op.shapes, "Input Dims", args);
    addJsonText(trace, op.types, "Input type", args);
    addJsonText(trace, op.concrete, "Concrete Inputs", args);
}

void addCollective(const Trace &trace, const CollectiveDetail &collective, Json &args)
{
    const auto text = [&](const char *key, StringId id) {
        if (const std::string_view view = trace.strings.view(id); !view.empty())
            args[key] = view;
    };
    const auto number = [&](const char *key, std::int64_t value) {
        if (value >= 0)
            args[key] = value;
    };
    text("Collective name", collective.name);
    text("Process Group Name", collective.group);
    text("dtype", collective.type);
    number("In msg nelems", collective.elementsIn);
    number("Out msg nelems", collective.elementsOut);
    number("Seq", collective.sequence);
}

} // namespace

nlohmann::json eventArgs(const Trace &trace, EventId e)
{
    Json args = Json::object();
    if (const KernelDetail *k = trace.kernel(e))
        addKernel(*k, args);
    if (const CopyDetail *c = trace.copy(e)) {
        if (c->bytes >= 0)
            args["bytes"] = c->bytes;
        if (!std::isnan(c->gigabytesPerSecond))
            args["memory bandwidth (GB/s)"] = c->gigabytesPerSecond;
    }
    if (const OpDetail *op = trace.op(e))
        addOp(trace, *op, args);
    if (const CollectiveDetail *collective = trace.collective(e))
        addCollective(trace, *collective, args);
    const Lane &lane = trace.laneOf(e);
    if (lane.device)
        args["device"] = *lane.device;
    if (lane.stream)
        args["stream"] = *lane.stream;
    if (const std::uint64_t correlation = trace.events.correlation[e.value]; correlation != 0)
        args["correlation"] = correlation;
    return args;
}

} // namespace tuneline::analysis
