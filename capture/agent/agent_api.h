/* SPDX-License-Identifier: MIT */
/* The agent's C interface: what the torch bridge, the marks header and a debugger may call. Plain C, found by dlsym:
 * nobody links libtuneline_agent.so. Every call is safe from any thread at any time, never throws, and does next to
 * nothing while no capture is armed. Texts are zero-terminated UTF-8; the agent copies what it keeps. */
#ifndef TUNELINE_AGENT_API_H
#define TUNELINE_AGENT_API_H

#include <stddef.h>
#include <stdint.h>

#define TUNELINE_AGENT_API_VERSION 1u

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the control thread of a process that was not prepared at launch: the entry for debuggers
 * (gdb: call (int)tuneline_agent_start()). Returns 1 when the agent listens or will in a moment, 0 when it can't.
 * It has a name of its own because libtorch exports InitializeInjection as well (CAPTURE.md section 9). */
int tuneline_agent_start(void);

/* A mark: kind is one of tuneline::format::MarkKind, 1 (Step) to 12 (Config). name and text may be NULL. */
void tuneline_agent_mark(uint32_t kind, const char *name, const char *text, double value);

/* Operators, for the torch bridge. key identifies the operator from begin to end (the RecordFunction's address).
 * Both are called on the thread that runs the operator. */
struct tuneline_agent_api
{
    uint32_t version; /* TUNELINE_AGENT_API_VERSION */
    uint32_t bytes; /* sizeof this struct: a later version appends */
    /* scope: at::RecordScope. Returns the operator's id, 0 = not recording: then leave out op_detail. */
    uint64_t (*op_begin)(const void *key, const char *name, uint32_t scope);
    void (*op_end)(const void *key);
    /* sequence -1: none. shapes and types: JSON texts, NULL = none. Lengths without the terminating zero. */
    void (*op_detail)(uint64_t op, int64_t sequence, uint64_t forward_thread, uint64_t logical_thread,
                      const char *shapes, size_t shapes_length, const char *types, size_t types_length);
    void (*mark)(uint32_t kind, const char *name, const char *text, double value);
};

/* NULL if the agent can't serve this version. The table lives as long as the process. */
const struct tuneline_agent_api *tuneline_agent_get_api(uint32_t version);

/* What the bridge library exports; the agent calls them from its control thread.
 * tuneline_torch_version: the TORCH_VERSION the bridge was compiled against, "1.13.1".
 * tuneline_torch_start: registers the observers, 0 = done, else the bridge did nothing.
 * tuneline_torch_stop: removes them; operators that are running still report their end. */
typedef const char *(*tuneline_torch_version_fn)(void);
typedef int (*tuneline_torch_start_fn)(const struct tuneline_agent_api *api);
typedef void (*tuneline_torch_stop_fn)(void);

#ifdef __cplusplus
}
#endif

#endif
