// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonimport.h"

#include "analysis/import/gzipstream.h"
#include "analysis/import/jsondecoder.h"
#include "analysis/import/jsondocument.h"
#include "analysis/import/jsonfastreader.h"
#include "analysis/import/jsonmerge.h"
#include "analysis/import/jsonscan.h"
#include "analysis/import/jsonwindows.h"
#include "analysis/import/textencoding.h"
#include "analysis/trace/parallel.h"

#include <algorithm>
#include <memory>

namespace tuneline::analysis {
namespace {

using namespace json;

// Collects what a walk finds into batches, one for each document it touches.
class BatchSink : public DocumentSink
{
public:
    BatchSink(Decoder &decoder, ThreadTables &tables)
        : m_decoder(decoder)
        , m_tables(tables)
    {
        m_tables.open(m_batches.emplace_back());
    }
    void documentBegins(std::uint64_t offset, bool) override
    {
        m_tables.close(batch());
        m_tables.open(m_batches.emplace_back());
        batch().beginsDocument = true;
        batch().offset = offset;
    }
    void listBegins() override { batch().hasList = true; }
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
    // All of them; nothing may come after.
    std::vector<Batch> take()
    {
        m_tables.close(batch());
        return std::move(m_batches);
    }

private:
    Batch &batch() { return m_batches.back(); }

    Decoder &m_decoder;
    ThreadTables &m_tables;
    std::vector<Batch> m_batches;
};

struct ReadWindow
{
    std::size_t index;
    std::vector<Batch> batches;
    std::shared_ptr<ThreadTables> tables;
};

// One reader thread: takes windows until there are none.
class Worker
{
public:
    void run(WindowSource &source, Place later)
    {
        Window window;
        while (source.next(window)) {
            BatchSink sink(m_decoder, *m_tables);
            walk(window.text, window.offset, window.index == 0 ? Place::Outside : later, window.last, sink, &m_fast);
            m_read.push_back({window.index, sink.take(), m_tables});
            source.done(window);
        }
    }
    std::vector<ReadWindow> &read() { return m_read; }

private:
    std::shared_ptr<ThreadTables> m_tables = std::make_shared<ThreadTables>();
    Decoder m_decoder{*m_tables};
    FastReader m_fast;
    std::vector<ReadWindow> m_read;
};

std::vector<std::unique_ptr<Worker>> readAll(WindowSource &source, Place later, bool small)
{
    std::vector<std::unique_ptr<Worker>> workers;
    const std::size_t count = small ? 1 : coreCount();
    for (std::size_t i = 0; i < count; ++i)
        workers.push_back(std::make_unique<Worker>());
    forEachOnAllCores(count, [&](std::size_t i) { workers[i]->run(source, later); });
    return workers;
}

bool merge(std::vector<std::unique_ptr<Worker>> &workers, TraceBuilder &builder, const std::filesystem::path &path)
{
    std::vector<ReadWindow *> order;
    for (auto &worker : workers) {
        for (ReadWindow &read : worker->read())
            order.push_back(&read);
    }
    std::sort(order.begin(), order.end(), [](const ReadWindow *a, const ReadWindow *b) { return a->index < b->index; });
    std::vector<Merger::Item> items;
    for (ReadWindow *read : order) {
        for (Batch &batch : read->batches) {
            const bool outside =
                read->index == 0 && &batch == &read->batches.front(); // what stands before the first document
            if (!outside || !batch.report.problems().empty())
                items.push_back({&batch, read->tables});
        }
    }
    return Merger(builder, path).run(items);
}

Place placeOfLaterWindows(std::string_view head)
{
    const std::size_t first = skipSpace(head, head.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    return first < head.size() && head[first] == '[' ? Place::EventsInList : Place::EventsInObject;
}

Result<void> importWindows(WindowSource &source, std::string_view head, bool small, const std::filesystem::path &path,
                           TraceBuilder &builder, const Progress &progress)
{
    auto workers = readAll(source, placeOfLaterWindows(head), small);
    if (progress.cancelled())
        return fail(Error::Code::Cancelled, "Cancelled.");
    if (merge(workers, builder, path))
        return {};
    const auto cut = [](const Batch &batch) { return batch.truncated; };
    const bool early = std::ranges::any_of(workers, [&](const auto &worker) {
        return std::ranges::any_of(worker->read(), [&](auto &read) { return std::ranges::any_of(read.batches, cut); });
    });
    return fail(Error::Code::Damaged,
                early
                    ? "The file ends early, before its first trace event; the program that wrote it was stopped, or a "
                      "copy of it was cut short."
                    : "This is JSON, but there is no trace event in it; a trace has a list \"traceEvents\".",
                path.string());
}

Result<void> importText(std::string_view text, const MappedFile *file, const std::filesystem::path &path,
                        TraceBuilder &builder, Progress &progress)
{
    TextWindows windows(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0, file, progress);
    return importWindows(windows, text.substr(0, 256), text.size() < 2 * kWindowBytes, path, builder, progress);
}

Result<void> importGzip(std::string_view compressed, const std::filesystem::path &path, TraceBuilder &builder,
                        Progress &progress)
{
    std::string head(256, '\0');
    GzipStream peek(compressed);
    head.resize(peek.read(head));
    GzipWindows windows(compressed, progress);
    const auto done = importWindows(windows, head, compressed.size() < kWindowBytes / 8, path, builder, progress);
    if (done && windows.endsEarly() && !builder.trace().sources.empty())
        builder.trace().sources.back().truncated = true;
    if (done && !windows.problem().empty())
        builder.report().add(windows.endsEarly() ? "file-truncated" : "gzip-damaged", Severity::DataLoss,
                             {-1, -1, windows.problem()});
    return done;
}

} // namespace

Result<void> importJson(const MappedFile &file, const std::filesystem::path &path, TraceBuilder &builder,
                        Progress &progress)
{
    const bool gzip = GzipStream::isGzip(file.view());
    std::string head(4, '\0');
    if (gzip) {
        GzipStream peek(file.view());
        head.resize(peek.read(head));
    } else {
        head = file.view().substr(0, 4);
    }
    const auto encoding = foreignEncoding(head);
    Result<void> done;
    if (encoding) {
        std::string problem;
        const std::string text = toUtf8(gzip ? inflateAll(file.view(), problem) : std::string(file.view()), *encoding);
        builder.report().add(
            "encoding-converted", Severity::Info,
            {0, 1, "the text is " + std::string(encoding->name) + "; offsets are those of its UTF-8 form"});
        done = importText(text, nullptr, path, builder, progress);
    } else if (gzip) {
        done = importGzip(file.view(), path, builder, progress);
    } else {
        done = importText(file.view(), &file, path, builder, progress);
    }
    return done;
}

} // namespace tuneline::analysis
