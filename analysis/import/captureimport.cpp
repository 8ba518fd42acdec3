// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/captureimport.h"

#include "analysis/import/captureclock.h"
#include "analysis/import/capturefacts.h"
#include "analysis/import/captureframes.h"
#include "analysis/import/capturerecords.h"

namespace tuneline::analysis {
namespace {

using format::RecordKind;

void importView(const RecordView &view, CaptureRecords &to, CaptureMarks &marks)
{
    const auto each = [&]<typename Record>(const auto &take, const Record *) {
        for (std::uint32_t i = 0; i < view.count; ++i)
            take(view.at<Record>(i), view.offset + std::uint64_t{i} * view.recordBytes);
    };
#define TUNELINE_TAKE(KIND)                                                                                            \
    case RecordKind::KIND:                                                                                             \
        return each([&](const auto &record, std::uint64_t offset) { to.add(record, offset); },                         \
                    static_cast<format::KIND##Record *>(nullptr))
    switch (view.kind) {
        TUNELINE_TAKE(Op);
        TUNELINE_TAKE(Thread);
        TUNELINE_TAKE(Memory);
        TUNELINE_TAKE(Counter);
        TUNELINE_TAKE(Kernel);
        TUNELINE_TAKE(Copy);
        TUNELINE_TAKE(Memset);
        TUNELINE_TAKE(Api);
        TUNELINE_TAKE(Sync);
        TUNELINE_TAKE(Overhead);
        TUNELINE_TAKE(DeviceMemory);
        TUNELINE_TAKE(Jit);
        TUNELINE_TAKE(Graph);
        TUNELINE_TAKE(Event);
    case RecordKind::Mark:
        return each([&](const auto &record, std::uint64_t offset) { marks.add(record, offset); },
                    static_cast<format::MarkRecord *>(nullptr));
    case RecordKind::OpDetail: // read before, by CaptureRecords
    case RecordKind::Clock: // CaptureClock
    case RecordKind::StepTime: // capturefacts
        return;
    }
#undef TUNELINE_TAKE
}

} // namespace

Result<void> importCapture(std::string_view file, const std::filesystem::path &path, TraceBuilder &builder,
                           Progress &progress)
{
    const CaptureFrames frames = readFrames(file, builder.report());
    Source source;
    source.file = path.string();
    source.label = path.stem().string();
    readCaptureFacts(frames, source);
    if (const auto host = frames.metadata.find("hostname"); host != frames.metadata.end() && host->is_string())
        source.host = host->get<std::string>();
    const SourceId id = builder.addSource(std::move(source));
    const CaptureClock clock(frames);
    if (clock.unixOfHostZero())
        builder.setBase(id, *clock.unixOfHostZero());
    CaptureRecords records(builder, id, frames, clock);
    CaptureMarks marks(builder, id, frames);
    for (const RecordView &view : frames.records) {
        if (progress.cancelled())
            return fail(Error::Code::Cancelled, "Cancelled.");
        importView(view, records, marks);
    }
    records.finish();
    marks.finish();
    return {};
}

} // namespace tuneline::analysis
