// SPDX-License-Identifier: GPL-3.0-or-later
// A vector of millions of rows, which is filled by several threads where it lies: resize() leaves new rows as they are,
// so its pages are taken by whoever fills them, and not all at once. Who resizes it must fill every row.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tuneline::analysis {

template <typename T> struct LeaveUntouched : std::allocator<T>
{
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    template <typename U> struct rebind
    {
        using other = LeaveUntouched<U>;
    };
    template <typename U> void construct(U *) noexcept { }
    template <typename U, typename Arg, typename... Args> void construct(U *at, Arg &&arg, Args &&...args)
    {
        ::new (static_cast<void *>(at)) U(std::forward<Arg>(arg), std::forward<Args>(args)...);
    }
};

template <typename T> using Column = std::vector<T, LeaveUntouched<T>>;

} // namespace tuneline::analysis
