// SPDX-License-Identifier: MIT
#include "capture/agent/forkguard.h"

#include <ctime>
#include <pthread.h>

namespace tuneline::agent {

namespace {

constexpr time_t kPatienceSeconds = 2;

// Error-checking: a fork that went on without the lock unlocks nothing of anybody's afterwards.
pthread_mutex_t g_mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
void (*g_inChild)() noexcept = nullptr;

void beforeFork() noexcept
{
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += kPatienceSeconds;
    pthread_mutex_timedlock(&g_mutex, &until);
}

void afterForkInParent() noexcept
{
    pthread_mutex_unlock(&g_mutex);
}

void afterForkInChild() noexcept
{
    g_mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP; // its owner, the forking thread, has another id here
    g_inChild();
}

} // namespace

ForkGuard::ForkGuard() noexcept
    : m_holds(pthread_mutex_lock(&g_mutex) == 0)
{ }

ForkGuard::~ForkGuard()
{
    if (m_holds)
        pthread_mutex_unlock(&g_mutex);
}

void ForkGuard::watchForks(void (*inChild)() noexcept) noexcept
{
    g_inChild = inChild;
    pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
}

} // namespace tuneline::agent
