// SPDX-License-Identifier: GPL-3.0-or-later
// How session code reports a failure: what is wrong, and what the user can do about it. Written to be shown as it is.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace tuneline::capture {

struct Error
{
    // The numbers are those of PROTOCOL.md and never change their meaning.
    enum class Code : int {
        NoSuchProcess = 1,
        NotPermitted = 2, // another user's process, ptrace_scope, container
        NotCapturable = 3, // no LibTorch and no CUDA in it
        AgentMissing = 4, // libtuneline_agent.so isn't where it should be
        AgentSilent = 5, // socket is there, agent doesn't answer or speaks another protocol
        InjectionFailed = 6,
        LaunchFailed = 7,
        OutputExists = 8,
        OutputUnwritable = 9,
        NothingCaptured = 10,
        Busy = 11, // a window is already open
        BadRequest = 12,
        NoSuchSession = 13,
        ReadFailed = 14,
    };
    Code code = Code::BadRequest;
    std::string message; // what is wrong
    std::string advice; // what to do; may be empty
};

template <typename T> using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Error::Code code, std::string message, std::string advice = {})
{
    return tl::make_unexpected(Error{code, std::move(message), std::move(advice)});
}

} // namespace tuneline::capture
