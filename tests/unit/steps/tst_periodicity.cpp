// SPDX-License-Identifier: GPL-3.0-or-later
// Steps without any mark: a small training loop of layers, forward, backward and optimizer, with and without a device.
#include "tests/unit/metrics/tracemaker.h"

#include <QTest>

#include <random>

using namespace tuneline::analysis;

namespace {

constexpr std::int64_t kUs = TraceMaker::kUs;

struct Loop
{
    int steps = 5;
    int layers = 6;
    int micro = 1;
    bool device = true;
    bool training = true;
    bool optimizerKernels = true;
    bool jitter = false; // now and then one kernel more
    double cutHead = 0; // launches left out at the start of the trace
    int initialisation = 0; // copies to the device before the first step
    bool graph = false; // forward and backward run from a CUDA graph, the update outside
};

// Writes the loop and says where its steps begin (host time, µs).
class LoopWriter
{
public:
    LoopWriter(TraceMaker &maker, const Loop &loop)
        : m_maker(maker)
        , m_loop(loop)
    { }

    std::vector<double> write()
    {
        std::vector<double> begins;
        for (int i = 0; i < m_loop.initialisation; ++i)
            work("aten::to", "Memcpy HtoD (Pageable -> Device)");
        for (int s = 0; s < m_loop.steps; ++s) {
            begins.push_back(m_time);
            m_time += 30; // the loop's own host code
            for (int micro = 0; micro < m_loop.micro; ++micro)
                m_loop.graph ? graph() : pass();
            if (m_loop.training)
                update();
        }
        begins.push_back(m_time);
        return begins;
    }

private:
    void pass()
    {
        work("aten::copy_", "Memcpy HtoD (Pageable -> Device)");
        for (int l = 0; l < m_loop.layers; ++l) {
            work("aten::linear", "sgemm_tn");
            work("aten::gelu", "gelu_kernel");
            if (m_loop.jitter && m_random() % 7 == 0)
                work("aten::dropout", "dropout_kernel");
        }
        work("aten::cross_entropy_loss", "softmax_forward");
        work("aten::nll_loss", "nll_loss_forward");
        if (!m_loop.training)
            return;
        work("NllLossBackward0", "nll_loss_backward");
        work("LogSoftmaxBackward0", "softmax_backward");
        for (int l = 0; l < m_loop.layers; ++l) {
            work("GeluBackward0", "gelu_backward");
            work("AddmmBackward0", "sgemm_nt");
            work("torch::autograd::AccumulateGrad", "accumulate");
        }
    }

    // One call, twenty kernels.
    void graph()
    {
        m_maker.call("cudaGraphLaunch", m_time + 2, 5, ++m_correlation);
        for (int k = 0; k < 20; ++k)
            m_maker.kernel("graphed_" + std::to_string(k) + (k < 10 ? "" : "_backward"), m_time + 8 + 2 * k, 2,
                           m_correlation);
        m_time += 50;
    }

    void update()
    {
        for (int p = 0; p < m_loop.layers; ++p) {
            for (int k = 0; m_loop.graph && k < 6; ++k)
                work("aten::sqrt_", "update_" + std::to_string(k));
            work("aten::mul_", "mul_kernel");
            work("aten::add_", "lerp_kernel");
            work("aten::addcdiv_", m_loop.optimizerKernels ? "addcdiv_kernel" : "pointwise_x");
        }
    }

    void work(const std::string &op, const std::string &kernel)
    {
        const double t = m_time;
        m_time += 10;
        if (m_written++ < m_loop.cutHead)
            return;
        m_maker.op(op, t, 9);
        if (!m_loop.device)
            return;
        m_maker.call("cudaLaunchKernel", t + 2, 3, ++m_correlation);
        m_maker.kernel(kernel, t + 6, 5, m_correlation);
    }

    TraceMaker &m_maker;
    const Loop &m_loop;
    std::mt19937 m_random{3};
    double m_time = 0, m_written = 0;
    std::uint64_t m_correlation = 0;
};

void verifyBegins(const StepSet &set, const std::vector<double> &begins, std::size_t first)
{
    QCOMPARE(set.from, StepSource::Periodicity);
    QCOMPARE(set.list.size(), begins.size() - 1 - first);
    const double step = (begins.back() - begins.front()) / static_cast<double>(begins.size() - 1);
    for (std::size_t i = 1; i < set.list.size(); ++i) {
        const double off = static_cast<double>(set.list[i].hostStart) / kUs - (begins[i + first] - begins[0]);
        QVERIFY2(std::abs(off) <= 0.02 * step + 30, qPrintable(QString("step %1 is %2 us off").arg(i).arg(off)));
    }
}

} // namespace

class TestPeriodicity : public QObject
{
    Q_OBJECT

private slots:
    void loops_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("micro");
        QTest::addColumn<bool>("device");
        QTest::addColumn<bool>("jitter");
        QTest::newRow("one layer") << 1 << 1 << true << false;
        QTest::newRow("twelve layers") << 12 << 1 << true << false;
        QTest::newRow("accumulation of four") << 6 << 4 << true << false;
        QTest::newRow("kernels vary") << 12 << 1 << true << true;
        QTest::newRow("operators only") << 6 << 1 << false << false;
        QTest::newRow("operators only, accumulation") << 3 << 2 << false << false;
    }
    void loops()
    {
        QFETCH(int, layers);
        QFETCH(int, micro);
        QFETCH(bool, device);
        QFETCH(bool, jitter);
        Loop loop;
        loop.layers = layers;
        loop.micro = micro;
        loop.device = device;
        loop.jitter = jitter;
        TraceMaker m;
        const auto begins = LoopWriter(m, loop).write();
        const auto set = m.analysis()->stepSet();
        verifyBegins(set, begins, 0);
        QVERIFY(set.confidence > 0.5);
    }

    void aWindowThatCutsAStep()
    {
        Loop loop;
        loop.steps = 6;
        loop.cutHead = 20; // of 45 launches of the first step
        TraceMaker m;
        const auto begins = LoopWriter(m, loop).write();
        const auto set = m.analysis()->stepSet();
        QCOMPARE(set.from, StepSource::Periodicity);
        QCOMPARE(set.list.size(), std::size_t{5}); // the rest of the first one is no step
        QCOMPARE(set.steadyCount(), std::size_t{5});
        QCOMPARE(set.medianNs.value(), static_cast<std::int64_t>((begins[2] - begins[1]) * kUs));
    }

    void initialisationIsNoStep()
    {
        Loop loop;
        loop.layers = 12;
        loop.initialisation = 9;
        TraceMaker m;
        const auto begins = LoopWriter(m, loop).write();
        const auto set = m.analysis()->stepSet();
        QCOMPARE(set.list.size(), std::size_t{5});
        for (std::size_t i = 0; i < 5; ++i) {
            const double off = static_cast<double>(set.list[i].hostStart) / kUs - begins[i];
            QVERIFY2(std::abs(off) <= 35, qPrintable(QString("step %1 is %2 us off").arg(i).arg(off)));
        }
    }

    // The update's few kernels come once for each tensor: they alone would be a step.
    void aGraphAndAnUpdateOutsideIt()
    {
        Loop loop;
        loop.graph = true;
        TraceMaker m;
        const auto begins = LoopWriter(m, loop).write();
        verifyBegins(m.analysis()->stepSet(), begins, 0);
    }

    void inferenceHasNoSteps()
    {
        Loop loop;
        loop.training = false;
        TraceMaker m;
        LoopWriter(m, loop).write();
        const auto set = m.analysis()->stepSet();
        QVERIFY(set.empty());
        QVERIFY(set.why.find("backward") != std::string::npos);
    }

    void oneOperatorAgainAndAgainHasNoSteps()
    {
        TraceMaker m;
        for (int i = 0; i < 500; ++i)
            m.op("aten::tiny", 3 * i, 1);
        const auto a = m.analysis();
        QVERIFY(a->stepSet().empty());
        QVERIFY(!a->stepSet().medianNs);
        QCOMPARE(a->tables.ops.size(), std::size_t{1});
    }

    void aHandfulOfOperatorsHasNoSteps()
    {
        TraceMaker m;
        m.op("aten::mm", 0, 80);
        m.op("aten::add", 80, 10);
        QVERIFY(m.analysis()->stepSet().empty());
    }
};

QTEST_GUILESS_MAIN(TestPeriodicity)
#include "tst_periodicity.moc"
