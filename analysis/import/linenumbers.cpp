// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/linenumbers.h"

#include "analysis/import/gzipstream.h"
#include "analysis/import/mappedfile.h"
#include "analysis/import/textencoding.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace tuneline::analysis {
namespace {

std::vector<ProblemExample *> withoutLine(ImportReport &report)
{
    std::vector<ProblemExample *> examples;
    for (Problem &problem : report.editProblems()) {
        for (ProblemExample &example : problem.examples) {
            if (example.offset >= 0 && example.line < 0)
                examples.push_back(&example);
        }
    }
    std::sort(examples.begin(), examples.end(), [](const auto *a, const auto *b) { return a->offset < b->offset; });
    return examples;
}

// Calls take(piece) for consecutive pieces of the text until it returns false.
void forEachPiece(std::string_view data, const std::function<bool(std::string_view)> &take)
{
    if (const auto encoding = foreignEncoding(data.substr(0, 4))) { // offsets are those of the UTF-8 form
        take(toUtf8(data, *encoding));
        return;
    }
    if (!GzipStream::isGzip(data)) {
        take(data);
        return;
    }
    std::vector<char> piece(std::size_t{1} << 20U);
    GzipStream stream(data);
    for (std::size_t got = stream.read(piece); got > 0 && take({piece.data(), got}); got = stream.read(piece)) { }
}

} // namespace

void addLineNumbers(ImportReport &report, const std::filesystem::path &file)
{
    const std::vector<ProblemExample *> examples = withoutLine(report);
    // Bytes of a capture or a database have no lines.
    const auto mapped = examples.empty() ? Result<MappedFile>() : MappedFile::open(file);
    if (!mapped || mapped->view().starts_with("TUNELINE") || mapped->view().starts_with("SQLite"))
        return;
    std::int64_t line = 1, offset = 0;
    auto next = examples.begin();
    forEachPiece(mapped->view(), [&](std::string_view piece) {
        std::size_t at = 0;
        for (; next != examples.end() && (*next)->offset <= offset + static_cast<std::int64_t>(piece.size()); ++next) {
            const auto to = static_cast<std::size_t>((*next)->offset - offset);
            line += std::count(piece.begin() + static_cast<std::ptrdiff_t>(at),
                               piece.begin() + static_cast<std::ptrdiff_t>(to), '\n');
            (*next)->line = line;
            at = to;
        }
        line += std::count(piece.begin() + static_cast<std::ptrdiff_t>(at), piece.end(), '\n');
        offset += static_cast<std::int64_t>(piece.size());
        return next != examples.end();
    });
}

} // namespace tuneline::analysis
