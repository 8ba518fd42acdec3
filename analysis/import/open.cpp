// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/open.h"

#include "analysis/import/captureimport.h"
#include "analysis/import/gzipstream.h"
#include "analysis/import/jsonimport.h"
#include "analysis/import/linenumbers.h"
#include "analysis/import/mappedfile.h"
#include "analysis/import/nsysimport.h"
#include "analysis/import/sniff.h"
#include "analysis/metrics/names.h"
#include "analysis/trace/tracebuilder.h"

#include <algorithm>
#include <utility>

namespace tuneline::analysis {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = 65536;

std::string headOf(std::string_view data)
{
    if (!GzipStream::isGzip(data))
        return std::string(data.substr(0, kHeadBytes));
    std::string head(kHeadBytes, '\0');
    GzipStream stream(data);
    head.resize(stream.read(head));
    return head;
}

Result<void> importDatabase(const fs::path &path, std::string_view inflated, TraceBuilder &builder, Progress &progress)
{
    auto database = inflated.empty() ? Database::open(path) : Database::fromMemory(inflated);
    if (!database)
        return tl::make_unexpected(database.error());
    return importNsys(*database, path, builder, progress);
}

Result<void> importFile(const fs::path &path, TraceBuilder &builder, Progress &progress)
{
    auto file = MappedFile::open(path);
    if (!file)
        return tl::make_unexpected(file.error());
    const Sniffed sniffed = sniff(headOf(file->view()), path);
    if (sniffed.kind == FileKind::Json)
        return importJson(*file, path, builder, progress);
    if (sniffed.kind == FileKind::Other)
        return fail(Error::Code::NotATrace, sniffed.advice, path.string());
    std::string inflated, problem;
    if (GzipStream::isGzip(file->view()))
        inflated = inflateAll(file->view(), problem);
    if (!problem.empty())
        builder.report().add("file-truncated", Severity::DataLoss, {-1, -1, problem});
    if (sniffed.kind == FileKind::Sqlite)
        return importDatabase(path, inflated, builder, progress);
    return importCapture(inflated.empty() ? file->view() : std::string_view(inflated), path, builder, progress);
}

// Of several files an example must say whose it is.
void nameFile(ImportReport &report, const fs::path &path)
{
    for (Problem &problem : report.editProblems()) {
        for (ProblemExample &example : problem.examples)
            example.text = path.filename().string() + ": " + example.text;
    }
}

bool mayBeTrace(const fs::path &path)
{
    const std::string name = path.filename().string();
    for (const char *ending : {".json", ".json.gz", ".tlc", ".tlc.gz", ".sqlite", ".sqlite.gz"}) {
        if (name.ends_with(ending))
            return true;
    }
    return false;
}

Result<std::vector<fs::path>> filesIn(const fs::path &path)
{
    std::error_code error;
    if (!fs::is_directory(path, error))
        return std::vector<fs::path>{path};
    std::vector<fs::path> files;
    for (const fs::directory_entry &entry : fs::directory_iterator(path, error)) {
        if (entry.is_regular_file(error) && mayBeTrace(entry.path()))
            files.push_back(entry.path());
    }
    if (files.empty())
        return fail(Error::Code::NotATrace,
                    "There is no trace in this folder; it should hold .tlc, .tlc.gz, .json, .json.gz or .sqlite files.",
                    path.string());
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

Result<TracePtr> openTrace(const std::vector<std::filesystem::path> &files, Progress &progress)
{
    std::vector<fs::path> all;
    for (const fs::path &path : files) {
        auto found = filesIn(path);
        if (!found)
            return tl::make_unexpected(found.error());
        all.insert(all.end(), found->begin(), found->end());
    }
    if (all.empty())
        return fail(Error::Code::Usage, "No file was named.");
    TraceBuilder builder;
    builder.alignBy(collectiveKind);
    std::vector<Error> failures;
    for (const fs::path &path : all) {
        ImportReport before = std::exchange(builder.report(), {});
        const Result<void> done = importFile(path, builder, progress);
        if (progress.cancelled())
            return fail(Error::Code::Cancelled, "Cancelled.");
        if (!done)
            failures.push_back(done.error());
        if (all.size() > 1)
            nameFile(builder.report(), path);
        before.merge(builder.report());
        builder.report() = std::move(before);
    }
    if (failures.size() == all.size())
        return tl::make_unexpected(failures.front());
    for (const Error &failure : failures)
        builder.report().add("file-not-opened", Severity::DataLoss, {-1, -1, failure.where + ": " + failure.message});
    return builder.finish(progress, [&](ImportReport &report) {
        if (all.size() == 1)
            addLineNumbers(report, all.front());
    });
}

} // namespace tuneline::analysis
