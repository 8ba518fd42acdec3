// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonimport.h"

#include "analysis/import/gzipstream.h"
#include "analysis/import/jsondecoder.h"
#include "analysis/import/jsondocument.h"
#include "analysis/import/jsonmerge.h"
#include "analysis/import/textencoding.h"

#include <algorithm>

namespace tuneline::analysis {
namespace {

using namespace json;

// Collects what a walk finds into batches, one for each document it touches.
class BatchSink : public DocumentSink
{
public:
    explicit BatchSink(ThreadTables &tables)
        : m_decoder(tables)
    {
        m_batches.emplace_back();
    }
    void documentBegins(std::uint64_t offset, bool) override
    {
        Batch batch;
        batch.beginsDocument = true;
        batch.offset = offset;
        m_batches.push_back(std::move(batch));
    }
    void header(std::string_view key, std::string_view value) override { batch().headers.emplace_back(key, value); }
    void event(const JsonEvent &event) override { m_decoder.decode(event, batch()); }
    void problem(std::string_view name, Severity severity, std::uint64_t offset, std::string_view text) override
    {
        batch().report.add(name, severity, {static_cast<std::int64_t>(offset), -1, std::string(text)});
    }
    void truncated(std::uint64_t offset) override
    {
        batch().truncated = true;
        batch().report.add(
            "file-truncated", Severity::DataLoss,
            {static_cast<std::int64_t>(offset), -1, "the file ends early, at byte " + std::to_string(offset)});
    }
    std::vector<Batch> &batches() { return m_batches; }

private:
    Batch &batch() { return m_batches.back(); }

    Decoder m_decoder;
    std::vector<Batch> m_batches;
};

void addLines(ImportReport &report, std::string_view text)
{
    for (Problem &problem : report.editProblems()) {
        for (ProblemExample &example : problem.examples) {
            if (example.offset < 0 || example.line >= 0 || static_cast<std::size_t>(example.offset) > text.size())
                continue;
            const std::string_view before = text.substr(0, static_cast<std::size_t>(example.offset));
            example.line = 1 + std::count(before.begin(), before.end(), '\n');
        }
    }
}

} // namespace

Result<void> importJson(const MappedFile &file, const std::filesystem::path &path, TraceBuilder &builder,
                        Progress &progress)
{
    std::string inflated, problem;
    std::string_view text = file.view();
    if (GzipStream::isGzip(text)) {
        inflated = inflateAll(text, problem);
        text = inflated;
    }
    std::string converted;
    if (const auto encoding = foreignEncoding(text)) {
        converted = toUtf8(text, *encoding);
        builder.report().add("encoding-converted", Severity::Info,
                             {0, 1, "the text is " + std::string(encoding->name)});
        text = converted;
    }
    text.remove_prefix(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    ThreadTables tables;
    BatchSink sink(tables);
    walk(text, 0, Place::Outside, true, sink);
    if (progress.cancelled())
        return fail(Error::Code::Cancelled, "Cancelled.");
    Merger merger(builder, path);
    for (Batch &batch : sink.batches()) {
        if (batch.beginsDocument || !batch.report.problems().empty())
            merger.add(std::move(batch), tables);
    }
    if (!merger.finish())
        return fail(Error::Code::Damaged, "This is JSON, but there is no trace event in it.", path.string());
    addLines(builder.report(), text);
    if (!problem.empty())
        builder.report().add("file-truncated", Severity::DataLoss, {-1, -1, problem});
    return {};
}

} // namespace tuneline::analysis
