// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/trainingrun.h"

#include <chrono>
#include <nlohmann/json.hpp>

namespace tuneline::trainer {
namespace {

constexpr int64_t kStepsBeforeCapture = 3; // allocators, cuDNN and lazy state must have settled

int64_t nowNs()
{
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

void toChannelsLast(const torch::nn::Module &model)
{
    for (const torch::Tensor &parameter : model.parameters()) {
        if (parameter.dim() == 4)
            parameter.set_data(parameter.detach().contiguous(at::MemoryFormat::ChannelsLast));
    }
}

int64_t parameterCount(const torch::nn::Module &model)
{
    int64_t count = 0;
    for (const torch::Tensor &parameter : model.parameters())
        count += parameter.numel();
    return count;
}

} // namespace

TrainingRun::TrainingRun(const Options &options, torch::Device device, std::shared_ptr<const Samples> samples)
    : m_options(options)
    , m_knobs(m_options.knobs)
    , m_device(device)
    , m_samples(std::move(samples))
    , m_marks(options.marks)
    , m_autocast(options.knobs.precision, device)
    , m_scaler(options.knobs.precision == "fp16", device)
    , m_faults(m_options, m_marks)
    , m_snapshots(m_options)
{
    if (m_knobs.cudaGraph)
        m_graph = std::make_unique<StepGraph>(device);
    m_model = makeModel(m_options);
    m_model->to(device);
    if (m_knobs.channelsLast)
        toChannelsLast(*m_model);
    if (m_knobs.checkpointing)
        m_model->setRecompute(&m_autocast);
    m_optimizer = makeOptimizer(m_options, m_model->parameters());
    if (!m_options.resumeFile.empty())
        m_firstStep = m_step = m_snapshots.load(state(), m_options.resumeFile);
    m_report = std::make_unique<Report>(m_options, m_samples->shape().unit, environment(), stdout);
    m_marks.config(m_knobs);
    m_marks.config("dataset", m_samples->shape().name);
    m_marks.config("parameters", std::to_string(parameterCount(*m_model)));
    announce();
    makeSource();
}

nlohmann::json TrainingRun::environment() const
{
    return {{"libtorch", TORCH_VERSION},
            {"device", deviceName(m_device)},
            {"threads", at::get_num_threads()},
            {"dataset", m_samples->shape().name},
            {"parameters", parameterCount(*m_model)},
            {"resumed_from", m_options.resumeFile.empty() ? nlohmann::json() : nlohmann::json(m_options.resumeFile)}};
}

void TrainingRun::announce() const
{
    if (m_options.quiet)
        return;
    std::printf("%s on %s: %.2f M parameters, %lld %s a step, %s, %s, %lld loader threads, data %s\n",
                m_knobs.model.c_str(), deviceName(m_device).c_str(),
                static_cast<double>(parameterCount(*m_model)) * 1e-6,
                static_cast<long long>(m_knobs.batchSize * m_knobs.accumulate * m_samples->shape().units),
                m_samples->shape().unit.c_str(), m_knobs.precision.c_str(), m_knobs.optimizer.c_str(),
                static_cast<long long>(m_knobs.workers), m_samples->shape().name.c_str());
    std::fflush(stdout);
}

void TrainingRun::makeSource()
{
    const bool pinned = m_knobs.pinMemory && !m_options.has(Fault::Pageable);
    m_source = makeBatchSource(m_samples, m_knobs, pinned, m_firstStep * m_knobs.accumulate);
    if (!m_knobs.syntheticBatch)
        return;
    m_fixed = toDevice(m_source->next());
    m_source.reset();
}

std::string TrainingRun::stopReason(int64_t elapsedNs, const std::atomic<bool> &stop) const
{
    if (stop)
        return "signal";
    if (m_knobs.steps > 0 && m_step >= m_knobs.steps)
        return "steps";
    if (m_knobs.seconds > 0 && static_cast<double>(elapsedNs) >= m_knobs.seconds * 1e9)
        return "seconds";
    return {};
}

void TrainingRun::train(const std::atomic<bool> &stop)
{
    m_model->train();
    const int64_t begin = nowNs();
    int64_t last = begin;
    std::string reason;
    while ((reason = stopReason(last - begin, stop)).empty()) {
        m_marks.step();
        m_inputNs = 0;
        oneStep();
        const int64_t now = nowNs();
        const int64_t units = m_knobs.batchSize * m_knobs.accumulate * m_samples->shape().units;
        m_report->addStep({now - last, m_inputNs, units});
        last = now;
        if (m_step % m_options.reportEvery == 0)
            m_report->interval(m_step);
    }
    m_marks.stepEnd();
    if (m_device.is_cuda()) {
        torch::cuda::synchronize(m_device.index());
        m_report->addDrain(nowNs() - last);
    }
    m_report->finish(m_firstStep, reason, lossesOfAllSteps());
}

void TrainingRun::oneStep()
{
    if (m_graph)
        graphStep();
    else
        eagerStep();
    m_marks.units(m_knobs.batchSize * m_knobs.accumulate * m_samples->shape().units, m_samples->shape().unit);
    ++m_step;
    afterStep();
}

void TrainingRun::eagerStep()
{
    {
        const RunMarks::Scope scope(m_marks, "zero_grad");
        m_optimizer->zeroGradients(m_knobs.zeroGrad == "memset");
    }
    torch::Tensor loss;
    DeviceBatch batch;
    for (int64_t i = 0; i < m_knobs.accumulate; ++i) {
        batch = nextBatch();
        forwardBackward(batch);
        loss = loss.defined() ? loss + m_loss : m_loss;
    }
    m_loss = loss;
    m_faults.afterBackward(m_optimizer->parameters());
    update();
    m_faults.afterStep(batch.inputs, m_output);
}

void TrainingRun::forwardBackward(const DeviceBatch &batch)
{
    torch::Tensor loss;
    {
        const RunMarks::Scope scope(m_marks, "forward");
        const Autocast::Scope cast(m_autocast);
        m_output = m_model->forward(batch.inputs);
        loss = torch::nn::functional::cross_entropy(m_output.to(torch::kFloat), batch.targets.flatten());
        if (m_knobs.accumulate > 1)
            loss = loss / static_cast<double>(m_knobs.accumulate);
        m_loss = loss.detach();
    }
    const RunMarks::Scope scope(m_marks, "backward");
    m_scaler.scaled(loss).backward();
}

void TrainingRun::update()
{
    const RunMarks::Scope scope(m_marks, "optimizer");
    if (m_scaler.unscale(m_optimizer->parameters()))
        m_optimizer->step();
    else
        m_marks.skippedStep();
    m_scaler.update();
}

void TrainingRun::graphStep()
{
    if (m_step - m_firstStep < kStepsBeforeCapture)
        return eagerStep();
    const DeviceBatch batch = nextBatch();
    if (!m_graph->captured()) {
        m_fixed = {batch.inputs.clone(), batch.targets.clone()};
        captureStep();
    } else if (!m_knobs.syntheticBatch) {
        m_fixed.inputs.copy_(batch.inputs);
        m_fixed.targets.copy_(batch.targets);
    }
    m_graph->replay();
    m_faults.afterBackward(m_optimizer->parameters());
    if (m_scaler.enabled() || !m_optimizer->canBeCaptured())
        update();
    m_faults.afterStep(m_fixed.inputs, m_output);
}

void TrainingRun::captureStep()
{
    // Gradients must be made inside the graph's memory; every replay then writes them anew.
    m_optimizer->zeroGradients(false);
    m_autocast.setWeightCache(false);
    m_graph->capture([this] {
        forwardBackward(m_fixed);
        if (!m_scaler.enabled() && m_optimizer->canBeCaptured())
            m_optimizer->step();
    });
}

TrainingRun::DeviceBatch TrainingRun::nextBatch()
{
    if (m_knobs.syntheticBatch)
        return m_fixed;
    Batch batch;
    {
        const RunMarks::Scope scope(m_marks, "data");
        const int64_t begin = nowNs();
        batch = m_source->next();
        m_inputNs += nowNs() - begin;
    }
    m_faults.afterLoad(batch);
    return toDevice(batch);
}

TrainingRun::DeviceBatch TrainingRun::toDevice(const Batch &batch) const
{
    const RunMarks::Scope scope(m_marks, "to_device");
    DeviceBatch result{moved(batch.inputs), moved(batch.targets)};
    if (m_knobs.channelsLast)
        result.inputs = result.inputs.contiguous(at::MemoryFormat::ChannelsLast);
    return result;
}

torch::Tensor TrainingRun::moved(const torch::Tensor &host) const
{
    if (m_faults.copiesEachSample())
        return Faults::copyEachSample(host, m_device, m_knobs.nonBlocking);
    return host.to(m_device, m_knobs.nonBlocking);
}

void TrainingRun::afterStep()
{
    if (!m_options.lossFile.empty())
        m_losses.push_back(m_loss.clone());
    if (m_step % m_knobs.lossEvery == 0 || m_step == m_firstStep + 1)
        readLoss();
    if (m_knobs.saveEvery > 0 && m_step % m_knobs.saveEvery == 0) {
        const RunMarks::Scope scope(m_marks, "checkpoint");
        m_snapshots.save(state(), m_step);
    }
}

void TrainingRun::readLoss()
{
    const auto loss = static_cast<double>(m_loss.item<float>());
    m_report->addLoss(loss);
    m_marks.loss(loss);
}

std::vector<float> TrainingRun::lossesOfAllSteps() const
{
    if (m_losses.empty())
        return {};
    const torch::Tensor all = torch::stack(m_losses).to(torch::kCPU).contiguous();
    return {all.data_ptr<float>(), all.data_ptr<float>() + all.numel()};
}

} // namespace tuneline::trainer
