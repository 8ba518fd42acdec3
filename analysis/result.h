// SPDX-License-Identifier: GPL-3.0-or-later
// How analysis code reports that a whole operation failed. One bad record is never an Error: it is counted in
// ImportReport.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace tuneline::analysis {

struct Error
{
    enum class Code {
        CannotOpen, // no such file, no permission
        NotATrace, // readable, but nothing that we know
        Damaged, // a trace, but nothing in it can be used
        Unsupported, // a known format in a version or shape that we can't read
        Cancelled,
        Usage, // the caller asked for something impossible
        CannotWrite,
    };
    Code code = Code::CannotOpen;
    std::string message; // what is wrong and what to do next, in one or two sentences
    std::string where; // file, table, offset
};

template <typename T> using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Error::Code code, std::string message, std::string where = {})
{
    return tl::make_unexpected(Error{code, std::move(message), std::move(where)});
}

} // namespace tuneline::analysis
