// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/report.h"

#include "capture/trainer/datasetfolder.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace tuneline::trainer {
namespace {

using nlohmann::json;

// The first steps allocate, pick algorithms and fill the loaders' queue.
constexpr size_t kWarmupSteps = 5;

json orNull(const std::vector<double> &values, bool last)
{
    if (values.empty())
        return nullptr;
    const double value = last ? values.back() : values.front();
    return std::isfinite(value) ? json(value) : json(nullptr);
}

double seconds(int64_t ns)
{
    return static_cast<double>(ns) * 1e-9;
}

} // namespace

double medianOf(std::vector<int64_t> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    const auto upper = static_cast<double>(values[middle]);
    return values.size() % 2 ? upper : (upper + static_cast<double>(values[middle - 1])) / 2;
}

Report::Report(const Options &options, std::string unit, json environment, std::FILE *out)
    : m_options(options)
    , m_unit(std::move(unit))
    , m_out(out)
    , m_environment(std::make_unique<json>(std::move(environment)))
{ }

Report::~Report() = default;

void Report::addStep(const StepTimes &times)
{
    m_steps.push_back(times);
}

void Report::addLoss(double loss)
{
    m_losses.push_back(loss);
}

void Report::interval(int64_t step)
{
    StepTimes sum;
    const size_t steps = m_steps.size() - m_reported;
    for (; m_reported < m_steps.size(); ++m_reported) {
        sum.stepNs += m_steps[m_reported].stepNs;
        sum.dataNs += m_steps[m_reported].dataNs;
        sum.units += m_steps[m_reported].units;
    }
    if (m_options.quiet || steps == 0)
        return;
    const double time = std::max(1e-9, seconds(sum.stepNs));
    std::fprintf(m_out, "step %6lld  %7.2f steps/s  %9.1f %s/s  input %3.0f %%", static_cast<long long>(step),
                 static_cast<double>(steps) / time, static_cast<double>(sum.units) / time, m_unit.c_str(),
                 100 * seconds(sum.dataNs) / time);
    if (!m_losses.empty())
        std::fprintf(m_out, "  loss %.4f", m_losses.back());
    std::fputc('\n', m_out);
    std::fflush(m_out);
}

std::vector<int64_t> Report::steadySteps() const
{
    std::vector<int64_t> times;
    const size_t skip = m_steps.size() > 2 * kWarmupSteps ? kWarmupSteps : 0;
    for (size_t i = skip; i < m_steps.size(); ++i)
        times.push_back(m_steps[i].stepNs);
    return times;
}

// Of a device that works behind the host only the mean over the run is the device's own pace.
double Report::meanStepNs() const
{
    const std::vector<int64_t> steady = steadySteps();
    if (steady.empty())
        return 0;
    const int64_t sum = std::accumulate(steady.begin(), steady.end(), m_drainNs);
    return static_cast<double>(sum) / static_cast<double>(steady.size());
}

void Report::finish(int64_t firstStep, const std::string &stoppedBy, const std::vector<float> &losses)
{
    const double median = medianOf(steadySteps());
    std::fprintf(m_out, "%zu steps, median step %.3f ms, mean %.3f ms", m_steps.size(), median * 1e-6,
                 meanStepNs() * 1e-6);
    if (m_losses.size() > 1)
        std::fprintf(m_out, ", loss %.4f → %.4f", m_losses.front(), m_losses.back());
    std::fprintf(m_out, " (stopped by %s)\n", stoppedBy.c_str());
    std::fflush(m_out);
    if (!m_options.jsonFile.empty())
        writeSummary(firstStep, stoppedBy);
    if (!m_options.lossFile.empty())
        writeLosses(firstStep, losses);
}

void Report::writeSummary(int64_t firstStep, const std::string &stoppedBy) const
{
    json steps = json::array();
    json input = json::array();
    int64_t units = 0;
    for (const StepTimes &step : m_steps) {
        steps.push_back(step.stepNs);
        input.push_back(step.dataNs);
        units += step.units;
    }
    const int64_t all = std::accumulate(m_steps.begin(), m_steps.end(), m_drainNs,
                                        [](int64_t sum, const StepTimes &step) { return sum + step.stepNs; });
    const json summary = {
        {"knobs", toJson(m_options.knobs)},
        {"environment", *m_environment},
        {"first_step", firstStep},
        {"stopped_by", stoppedBy},
        {"unit", m_unit},
        {"units_per_s", all > 0 ? json(static_cast<double>(units) / seconds(all)) : json(nullptr)},
        {"median_step_ns", m_steps.empty() ? json(nullptr) : json(std::llround(medianOf(steadySteps())))},
        {"mean_step_ns", m_steps.empty() ? json(nullptr) : json(std::llround(meanStepNs()))},
        {"first_loss", orNull(m_losses, false)},
        {"last_loss", orNull(m_losses, true)},
        {"step_ns", std::move(steps)},
        {"input_ns", std::move(input)},
    };
    const std::string text = summary.dump(2) + '\n';
    writeFile(m_options.jsonFile, text.data(), text.size());
}

void Report::writeLosses(int64_t firstStep, const std::vector<float> &losses) const
{
    std::string text;
    char line[64];
    for (size_t i = 0; i < losses.size(); ++i) {
        std::snprintf(line, sizeof line, "%lld %a\n", static_cast<long long>(firstStep) + static_cast<long long>(i),
                      static_cast<double>(losses[i]));
        text += line;
    }
    writeFile(m_options.lossFile, text.data(), text.size());
}

} // namespace tuneline::trainer
