/* SPDX-License-Identifier: MIT */
/* Tuneline marks: what a training program can tell the profiler about itself. Header-only, C11 and C++, nothing to
 * link.
 *
 *     for (...) {
 *         tuneline_step();                          // a step begins, the last one ends
 *         { tuneline::Scope data("data"); batch = next(); }
 *         ...
 *         tuneline_units(batch_size, "samples");
 *         tuneline_loss(loss);                      // a value that is on the host already: never read one for this
 *     }
 *     tuneline_step_end();
 *
 * Without Tuneline's agent in the process each call costs a load and a branch, and a look for the agent (about a
 * microsecond) is made at the first call and at every 32nd step. All calls may come from any thread; steps should come
 * from one. Texts are copied. Nothing here fails or throws. */
#ifndef TUNELINE_MARKS_H
#define TUNELINE_MARKS_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Before glibc 2.34 dlsym lives in libdl; a program that doesn't link it gets calls that do nothing. */
#pragma weak dlsym

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*tuneline_mark_fn)(uint32_t kind, const char *name, const char *text, double value);

/* Facts that were told before an agent was there: kept for one that is attached later. */
enum { TUNELINE_KEPT_CONFIGS = 32, TUNELINE_KEPT_NAME = 48, TUNELINE_KEPT_TEXT = 144 };

struct tuneline_marks_state
{
    tuneline_mark_fn mark;
    uint32_t steps;
    uint32_t looked;
    uint32_t configs;
    char config_names[TUNELINE_KEPT_CONFIGS][TUNELINE_KEPT_NAME];
    char config_texts[TUNELINE_KEPT_CONFIGS][TUNELINE_KEPT_TEXT];
};

/* Weak: one object for all translation units of a program or library, in C and in C++. */
__attribute__((weak, visibility("hidden"))) struct tuneline_marks_state tuneline_marks_state_;

enum {
    TUNELINE_MARK_STEP = 1,
    TUNELINE_MARK_STEP_END = 2,
    TUNELINE_MARK_SCOPE_BEGIN = 3,
    TUNELINE_MARK_SCOPE_END = 4,
    TUNELINE_MARK_UNITS = 5,
    TUNELINE_MARK_VALID_UNITS = 6,
    TUNELINE_MARK_LOSS = 7,
    TUNELINE_MARK_GRADIENT_NORM = 8,
    TUNELINE_MARK_SKIPPED_STEP = 9,
    TUNELINE_MARK_CORRUPTED_SAMPLES = 10,
    TUNELINE_MARK_METRIC = 11,
    TUNELINE_MARK_CONFIG = 12
};

__attribute__((unused, noinline, cold)) static tuneline_mark_fn tuneline_find_agent_(void)
{
    struct tuneline_marks_state *state = &tuneline_marks_state_;
    tuneline_mark_fn found = 0;
    void *symbol;
    uint32_t i, kept;
    __atomic_store_n(&state->looked, 1U, __ATOMIC_RELAXED);
    if (dlsym == 0)
        return 0;
    symbol = dlsym((void *)0 /* RTLD_DEFAULT */, "tuneline_agent_mark");
    if (!symbol)
        return 0;
    memcpy(&found, &symbol, sizeof found);
    __atomic_store_n(&state->mark, found, __ATOMIC_RELEASE);
    kept = __atomic_load_n(&state->configs, __ATOMIC_ACQUIRE);
    for (i = 0; i < kept && i < TUNELINE_KEPT_CONFIGS; ++i)
        found(TUNELINE_MARK_CONFIG, state->config_names[i], state->config_texts[i], 0.0);
    return found;
}

__attribute__((unused)) static inline void tuneline_mark_(uint32_t kind, const char *name, const char *text,
                                                          double value)
{
    tuneline_mark_fn mark = __atomic_load_n(&tuneline_marks_state_.mark, __ATOMIC_ACQUIRE);
    if (!mark && !__atomic_load_n(&tuneline_marks_state_.looked, __ATOMIC_RELAXED))
        mark = tuneline_find_agent_();
    if (mark)
        mark(kind, name, text, value);
}

/* A step begins; the step before it, if any, ends. */
__attribute__((unused)) static inline void tuneline_step(void)
{
    if (!__atomic_load_n(&tuneline_marks_state_.mark, __ATOMIC_ACQUIRE)
        && __atomic_fetch_add(&tuneline_marks_state_.steps, 1U, __ATOMIC_RELAXED) % 32U == 0)
        tuneline_find_agent_();
    tuneline_mark_(TUNELINE_MARK_STEP, 0, 0, 0.0);
}

/* The last step ends and no new one begins: before validation, before the program's end. */
__attribute__((unused)) static inline void tuneline_step_end(void)
{
    tuneline_mark_(TUNELINE_MARK_STEP_END, 0, 0, 0.0);
}

/* A named stretch of this thread's time: "data", "forward", "checkpoint". Properly nested. */
__attribute__((unused)) static inline void tuneline_scope_begin(const char *name)
{
    tuneline_mark_(TUNELINE_MARK_SCOPE_BEGIN, name, 0, 0.0);
}
__attribute__((unused)) static inline void tuneline_scope_end(void)
{
    tuneline_mark_(TUNELINE_MARK_SCOPE_END, 0, 0, 0.0);
}

/* How much this step trains on: 64 "samples", 8192 "tokens"; and how much of it is not padding. */
__attribute__((unused)) static inline void tuneline_units(double count, const char *unit)
{
    tuneline_mark_(TUNELINE_MARK_UNITS, unit, 0, count);
}
__attribute__((unused)) static inline void tuneline_valid_units(double count, const char *unit)
{
    tuneline_mark_(TUNELINE_MARK_VALID_UNITS, unit, 0, count);
}

__attribute__((unused)) static inline void tuneline_loss(double value)
{
    tuneline_mark_(TUNELINE_MARK_LOSS, 0, 0, value);
}
__attribute__((unused)) static inline void tuneline_gradient_norm(double value)
{
    tuneline_mark_(TUNELINE_MARK_GRADIENT_NORM, 0, 0, value);
}
/* The loss scaler skipped this update. */
__attribute__((unused)) static inline void tuneline_skipped_step(void)
{
    tuneline_mark_(TUNELINE_MARK_SKIPPED_STEP, 0, 0, 1.0);
}
__attribute__((unused)) static inline void tuneline_corrupted_samples(double count)
{
    tuneline_mark_(TUNELINE_MARK_CORRUPTED_SAMPLES, 0, 0, count);
}
/* An evaluation metric: "accuracy". */
__attribute__((unused)) static inline void tuneline_metric(const char *name, double value)
{
    tuneline_mark_(TUNELINE_MARK_METRIC, name, 0, value);
}

/* A knob or fact of the run: tuneline_config("batch_size", "64"). May be told at any time, best first of all: a capture
 * of a run that has told one waits for its first step for minutes, where it gives others two seconds. */
__attribute__((unused)) static inline void tuneline_config(const char *name, const char *text)
{
    struct tuneline_marks_state *state = &tuneline_marks_state_;
    if (!name || !text)
        return;
    if (!__atomic_load_n(&state->mark, __ATOMIC_ACQUIRE) && !tuneline_find_agent_()) {
        uint32_t i = __atomic_load_n(&state->configs, __ATOMIC_RELAXED);
        if (i < TUNELINE_KEPT_CONFIGS) {
            snprintf(state->config_names[i], TUNELINE_KEPT_NAME, "%s", name);
            snprintf(state->config_texts[i], TUNELINE_KEPT_TEXT, "%s", text);
            __atomic_store_n(&state->configs, i + 1U, __ATOMIC_RELEASE);
        }
        return;
    }
    tuneline_mark_(TUNELINE_MARK_CONFIG, name, text, 0.0);
}

#ifdef __cplusplus
} /* extern "C" */

namespace tuneline {

// A scope that ends with its block.
class Scope
{
public:
    explicit Scope(const char *name) noexcept { tuneline_scope_begin(name); }
    ~Scope() { tuneline_scope_end(); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
};

} // namespace tuneline
#endif

#endif /* TUNELINE_MARKS_H */
