// SPDX-License-Identifier: GPL-3.0-or-later
// One step as a strip of lanes. Events narrower than a pixel are merged, so the picture's size doesn't follow the
// trace's.
#include "analysis/findings/words.h"
#include "analysis/report/htmlpictures.h"
#include "analysis/report/svg.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tuneline::analysis {
namespace {

constexpr double kWidth = 1000, kLabels = 150, kRow = 17, kGap = 8, kAxis = 22;
constexpr std::uint32_t kCpuRows = 6, kStreamRows = 3, kMaxLanes = 8;

struct Window
{
    std::int64_t from = 0, to = 0;
    [[nodiscard]] double x(std::int64_t time) const
    {
        const double place = static_cast<double>(time - from) / static_cast<double>(to - from);
        return kLabels + (kWidth - kLabels) * std::clamp(place, 0.0, 1.0);
    }
};

const char *colourOf(const Analysis &a, EventId e)
{
    switch (a.trace->kind(e)) {
    case EventKind::Kernel:
        return a.names.is(*a.trace, e, NameTrait::kCommunication) ? "c-comm" : "c-compute";
    case EventKind::Copy:
        return "c-copy";
    case EventKind::Memset:
        return "c-set";
    case EventKind::DeviceSync:
        return "c-sync";
    case EventKind::Op:
        return "c-ops";
    case EventKind::Runtime:
    case EventKind::Driver:
        return a.names.is(*a.trace, e, NameTrait::kBlocking) ? "c-sync" : "c-api";
    case EventKind::Python:
        return "c-python";
    default:
        return "c-range";
    }
}

// Neighbours of one drawing row that share pixels, shown as the longest of them.
struct Run
{
    double from = 0, to = 0;
    EventId longest;
    std::size_t count = 0;
};

class Strip
{
public:
    Strip(const Analysis &analysis, const Window &window)
        : m_analysis(analysis)
        , m_trace(*analysis.trace)
        , m_window(window)
    { }
    std::string draw();

private:
    struct Band
    {
        LaneId lane;
        std::string name;
        std::uint32_t rows = 1;
    };
    void chooseBands();
    void drawCauses(double y);
    void drawBand(const Band &band, double y);
    void drawRun(const Run &run, double y);
    void drawAxis(double bottom);
    [[nodiscard]] std::uint32_t rowsUsed(const Lane &lane, std::uint32_t most) const;
    [[nodiscard]] bool drawn(std::uint32_t event) const;

    const Analysis &m_analysis;
    const Trace &m_trace;
    Window m_window;
    std::vector<Band> m_bands;
    std::optional<Svg> m_svg;
};

bool Strip::drawn(std::uint32_t event) const
{
    const EventId e{event};
    return m_trace.kind(e) != EventKind::Instant && !m_trace.hasFlag(e, EventFlag::kNoTimestamp | EventFlag::kStray)
        && m_trace.end(e) > m_window.from && m_trace.start(e) < m_window.to;
}

std::uint32_t Strip::rowsUsed(const Lane &lane, std::uint32_t most) const
{
    std::uint32_t rows = 0;
    const auto [from, to] = m_trace.visible(lane, m_window.from, m_window.to);
    for (std::uint32_t i = from; i < to; ++i) {
        if (drawn(i))
            rows = std::max<std::uint32_t>(rows, m_trace.events.depth[i] + 1U);
    }
    return std::min(rows, most);
}

// Streams of the steps' source, then the training thread, then the other threads that do something in the window.
void Strip::chooseBands()
{
    const LaneId training = m_analysis.stepSet().trainingLane;
    std::vector<Band> host;
    for (std::uint32_t i = 0; i < m_trace.lanes.size(); ++i) {
        const Lane &lane = m_trace.lanes[i];
        const bool stream = lane.kind == LaneKind::Stream;
        if (lane.source.value != m_analysis.mainSource || (!stream && lane.kind != LaneKind::Cpu))
            continue;
        Band band{LaneId{i}, std::string(m_trace.strings.view(lane.thread)),
                  rowsUsed(lane, stream ? kStreamRows : kCpuRows)};
        if (band.rows == 0)
            continue;
        if (stream && lane.device)
            band.name = "GPU " + std::to_string(*lane.device) + ", " + band.name;
        (stream ? m_bands : host).push_back(std::move(band));
    }
    std::stable_partition(host.begin(), host.end(), [&](const Band &band) { return band.lane == training; });
    m_bands.insert(m_bands.end(), std::make_move_iterator(host.begin()), std::make_move_iterator(host.end()));
    m_bands.resize(std::min<std::size_t>(m_bands.size(), kMaxLanes));
}

void Strip::drawCauses(double y)
{
    const DeviceMetrics *device = m_analysis.device();
    if (device == nullptr)
        return;
    m_svg->text(0, y + 12, "why it was idle");
    for (const IdlePiece &piece : device->pieces) {
        if (piece.end <= m_window.from || piece.start >= m_window.to)
            continue;
        const double from = m_window.x(piece.start), to = m_window.x(piece.end);
        if (to - from >= 0.25)
            m_svg->rect({from, y, to - from, kRow - 3}, causeColour(piece.cause),
                        std::string(causeName(piece.cause)) + ", "
                            + timeText(static_cast<double>(piece.end - piece.start)));
    }
}

void Strip::drawRun(const Run &run, double y)
{
    const SvgBox box{run.from, y, std::max(run.to - run.from, 0.5), kRow - 3};
    const std::string name{m_trace.name(run.longest)};
    const std::string tip = name + ", " + timeText(static_cast<double>(m_trace.duration(run.longest)));
    m_svg->rect(box, colourOf(m_analysis, run.longest),
                run.count == 1 ? tip : std::to_string(run.count) + " events, the longest: " + tip);
    if (run.count == 1)
        m_svg->label(box, name);
}

void Strip::drawBand(const Band &band, double y)
{
    const Lane &lane = m_trace.lanes[band.lane.value];
    m_svg->text(0, y + 12, band.name.size() > 24 ? band.name.substr(0, 23) + "…" : band.name);
    std::vector<Run> open(band.rows);
    const auto row = [&](std::size_t depth) { return y + kRow * static_cast<double>(depth); };
    const auto [first, last] = m_trace.visible(lane, m_window.from, m_window.to);
    for (std::uint32_t i = first; i < last; ++i) {
        const std::size_t depth = m_trace.events.depth[i];
        if (!drawn(i) || depth >= band.rows)
            continue;
        Run &run = open[depth];
        const double from = m_window.x(m_trace.start(EventId{i})), to = m_window.x(m_trace.end(EventId{i}));
        const bool joins = run.count > 0 && from - run.to < 0.4 && (to - from < 1 || run.to - run.from < 1);
        if (!joins) {
            if (run.count > 0)
                drawRun(run, row(depth));
            run = {from, to, EventId{i}, 0};
        }
        run.to = std::max(run.to, to);
        ++run.count;
        if (m_trace.duration(EventId{i}) > m_trace.duration(run.longest))
            run.longest = EventId{i};
    }
    for (std::size_t depth = 0; depth < open.size(); ++depth) {
        if (open[depth].count > 0)
            drawRun(open[depth], row(depth));
    }
}

void Strip::drawAxis(double bottom)
{
    constexpr int kMarks = 5;
    for (int i = 0; i <= kMarks; ++i) {
        const std::int64_t time = m_window.from + (m_window.to - m_window.from) / kMarks * i;
        const double x = m_window.x(time);
        m_svg->line(x, 0, bottom);
        m_svg->text(i == kMarks ? x - 46 : x + 3, bottom + 14, timeText(static_cast<double>(time - m_window.from)),
                    "faint");
    }
}

std::string Strip::draw()
{
    chooseBands();
    if (m_bands.empty())
        return {};
    const bool causes = m_analysis.device() != nullptr;
    double height = causes ? kRow + kGap : 0;
    for (const Band &band : m_bands)
        height += kRow * band.rows + kGap;
    m_svg.emplace(kWidth, height + kAxis, "One step on the timeline");
    drawAxis(height);
    if (causes)
        drawCauses(0);
    double y = causes ? kRow + kGap : 0;
    for (const Band &band : m_bands) {
        drawBand(band, y);
        y += kRow * band.rows + kGap;
    }
    return m_svg->take();
}

// The steady step whose time is nearest to the median.
const Step *typicalStep(const StepSet &steps)
{
    const Step *best = nullptr;
    const std::int64_t median = steps.medianNs.value_or(0);
    const auto distance = [&](const Step &s) { return std::abs(s.timeNs() - median); };
    for (const Step &step : steps.list) {
        const bool better = best == nullptr || (step.steady() && !best->steady())
            || (step.steady() == best->steady() && distance(step) < distance(*best));
        best = better ? &step : best;
    }
    return best;
}

} // namespace

std::string stepTimeline(const Analysis &analysis)
{
    const Step *step = typicalStep(analysis.stepSet());
    if (step == nullptr || step->timeNs() <= 0)
        return {};
    Window window{std::min(step->start, step->hostStart), std::max(step->end, step->hostEnd)};
    if (window.to - window.from > 2 * step->timeNs()) // the host is steps ahead: what the device does is the picture
        window = {step->start, step->end};
    return Strip(analysis, window).draw();
}

} // namespace tuneline::analysis
