// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/hugepages.h"

#include <new>

namespace tuneline::analysis {

HugePage::HugePage(Advice advice)
{
    // Twice as much, less what is in front of the border and behind the page: older kernels don't align a mapping.
    void *mapped = ::mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        throw std::bad_alloc();
    const auto from = reinterpret_cast<std::uintptr_t>(mapped);
    const std::uintptr_t border = (from + kBytes - 1) / kBytes * kBytes;
    if (border > from)
        ::munmap(mapped, border - from);
    m_data = reinterpret_cast<void *>(border);
    ::munmap(reinterpret_cast<void *>(border + kBytes), from + kBytes - border);
    if (advice == Advice::Huge)
        ::madvise(m_data, kBytes, MADV_HUGEPAGE);
}

HugePage::~HugePage()
{
    if (m_data != nullptr)
        ::munmap(m_data, kBytes);
}

} // namespace tuneline::analysis
