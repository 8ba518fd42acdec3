// SPDX-License-Identifier: GPL-3.0-or-later
// CUPTI step by step inside a training process, for residue.py: what does each step leave behind when it is undone?
// Records are thrown away. Prototypes are CUPTI's public ones; the library is opened by the path that is given.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void *g_library;
static void *g_subscriber;
static atomic_int g_finalize;
static atomic_int g_result = -1;

#define CUPTI(name, ...) ((int (*)(__VA_ARGS__))dlsym(g_library, #name))

enum { kDriverDomain = 1, kRuntimeDomain = 2, kExitSite = 1 };

static void onRequested(uint8_t **buffer, size_t *size, size_t *records)
{
    *size = 1 << 20;
    *records = 0;
    *buffer = aligned_alloc(64, *size);
}

static void onCompleted(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    (void)context, (void)stream, (void)size, (void)valid;
    free(buffer);
}

// The only place where NVIDIA allows cuptiFinalize in a running program: the exit of an API call.
static void onCallback(void *user, uint32_t domain, uint32_t id, const void *data)
{
    (void)user, (void)domain, (void)id;
    if (*(const int *)data == kExitSite && atomic_exchange(&g_finalize, 0))
        atomic_store(&g_result, CUPTI(cuptiFinalize, void)());
}

int stages_open(const char *path)
{
    g_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return g_library != NULL;
}

int stages_subscribe(void)
{
    const int result = CUPTI(cuptiSubscribe, void **, void *, void *)(&g_subscriber, (void *)onCallback, NULL);
    return result ? result
                  : CUPTI(cuptiActivityRegisterCallbacks, void *, void *)((void *)onRequested, (void *)onCompleted);
}

int stages_unsubscribe(void)
{
    return CUPTI(cuptiUnsubscribe, void *)(g_subscriber);
}

int stages_enable(uint32_t kind)
{
    return CUPTI(cuptiActivityEnable, uint32_t)(kind);
}

int stages_disable(uint32_t kind)
{
    const int result = CUPTI(cuptiActivityDisable, uint32_t)(kind);
    CUPTI(cuptiActivityFlushAll, uint32_t)(1);
    return result;
}

// The next runtime call of the program finalizes. stages_finalized: −1 = not yet, else CUPTI's result.
int stages_finalize(void)
{
    atomic_store(&g_finalize, 1);
    return CUPTI(cuptiEnableDomain, uint32_t, void *, uint32_t)(1, g_subscriber, kRuntimeDomain);
}

int stages_finalized(void)
{
    return atomic_load(&g_result);
}
