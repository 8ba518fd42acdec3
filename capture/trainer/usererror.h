// SPDX-License-Identifier: GPL-3.0-or-later
// What the user asked for can't be done. LibTorch reports by exceptions, so the trainer does too: main() catches,
// prints the message and exits with the code. Thrown on any thread (torch::data carries it from a loader to the
// training thread).
#pragma once

#include <stdexcept>
#include <string>

namespace tuneline::trainer {

enum class ExitCode : int { Done = 0, Usage = 2, CannotRead = 3, Failed = 4 };

class UserError : public std::runtime_error
{
public:
    UserError(ExitCode code, const std::string &message)
        : std::runtime_error(message)
        , m_code(code)
    { }
    ExitCode code() const { return m_code; }

private:
    ExitCode m_code;
};

[[noreturn]] inline void usageError(const std::string &message)
{
    throw UserError(ExitCode::Usage, message);
}

} // namespace tuneline::trainer
