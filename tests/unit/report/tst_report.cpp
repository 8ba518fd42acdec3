// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a run: the page is well-formed, asks for nothing from outside, never runs what a name contains, and
// shows the figures of the advice; the JSON holds both documents of CLI.md.
#include "analysis/import/open.h"
#include "analysis/report/htmlpage.h"
#include "analysis/report/htmlpictures.h"
#include "analysis/report/htmlreport.h"
#include "analysis/report/reportjson.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <fstream>

using namespace tuneline::analysis;

namespace {

constexpr const char *kEvil = "<script>alert('x')</script> & \"quoted\" \xFF</svg>";

struct Run
{
    AnalysisPtr analysis;
    Advice advice;
    std::string page;
};

Run runOf(const std::string &file)
{
    Progress progress;
    auto trace = openTrace({file}, progress);
    if (!trace)
        return {};
    Run run;
    run.analysis = analyse(*trace, {}, progress).value();
    run.advice = advise(*run.analysis);
    run.page = htmlReport(*run.analysis, run.advice);
    return run;
}

QString sample(const char *name)
{
    return QString(TUNELINE_SOURCE_DIR "/resources/samples/") + name;
}

// Steps, operators and kernels whose names are markup.
std::string evilTrace()
{
    nlohmann::json events = nlohmann::json::array();
    for (int step = 0; step < 5; ++step) {
        const int at = 1000 * step;
        const auto slice = [&](const char *cat, const std::string &name, int pid, int tid, int ts, int dur,
                               nlohmann::json args) {
            events.push_back({{"ph", "X"},
                              {"cat", cat},
                              {"name", name},
                              {"pid", pid},
                              {"tid", tid},
                              {"ts", at + ts},
                              {"dur", dur},
                              {"args", std::move(args)}});
        };
        slice("user_annotation", "ProfilerStep#" + std::to_string(step), 1, 1, 0, 1000, nlohmann::json::object());
        slice("cpu_op", kEvil, 1, 1, 10, 100, {{"External id", step + 1}});
        slice("cuda_runtime", "cudaLaunchKernel", 1, 1, 20, 5, {{"correlation", step + 1}});
        slice("kernel", kEvil, 0, 7, 50, 400, {{"correlation", step + 1}, {"device", 0}, {"stream", 7}});
    }
    events.push_back({{"ph", "M"}, {"name", "thread_name"}, {"pid", 1}, {"tid", 1}, {"args", {{"name", kEvil}}}});
    const nlohmann::json document{{"deviceProperties", {{{"id", 0}, {"name", kEvil}}}},
                                  {"traceEvents", std::move(events)}};
    std::string text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore);
    return text;
}

} // namespace

class TestReport : public QObject
{
    Q_OBJECT
private slots:
    void escapes();
    void pageIsWellFormed_data();
    void pageIsWellFormed();
    void namesStayText();
    void barAddsUp();
    void showsTheAdvice();
    void withoutSteps();
    void pictureStaysSmall();
    void json();

private:
    QTemporaryDir m_folder;
};

void TestReport::escapes()
{
    QCOMPARE(htmlText("a<b>&\"'"), std::string("a&lt;b&gt;&amp;&quot;&#39;"));
    QCOMPARE(htmlText("x\x01y\xFFz\tµ"), std::string("x\xEF\xBF\xBDy\xEF\xBF\xBDz\tµ"));
    QCOMPARE(htmlTable({{"a"}}, {}), std::string());
}

void TestReport::pageIsWellFormed_data()
{
    QTest::addColumn<QString>("file");
    for (const char *name : {"gpt-fp32.tlc.gz", "cnn-starved.tlc.gz", "gpt-cuda-graph.tlc.gz"})
        QTest::newRow(name) << sample(name);
    for (const char *name :
         {"04_inf_nan.json", "53_no_steps.json", "66_cpu_only.json", "76_nsys_no_kernel_table.sqlite"})
        QTest::newRow(name) << QString(TUNELINE_TEST_DATA "/cases/") + name;
}

void TestReport::pageIsWellFormed()
{
    QFETCH(QString, file);
    const Run run = runOf(file.toStdString());
    QVERIFY(!run.page.empty());
    QXmlStreamReader reader(QByteArray::fromStdString(run.page));
    QStringList forbidden;
    while (!reader.atEnd()) {
        reader.readNext();
        if (!reader.isStartElement())
            continue;
        if (QStringList{"script", "link", "img", "iframe", "object", "image", "use"}.contains(reader.name().toString()))
            forbidden << reader.name().toString();
        for (const QXmlStreamAttribute &attribute : reader.attributes()) {
            if (QStringList{"src", "href", "xlink:href"}.contains(attribute.qualifiedName().toString())
                || attribute.qualifiedName().startsWith(QLatin1String("on")))
                forbidden << attribute.qualifiedName().toString();
        }
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString() + " at line " + QString::number(reader.lineNumber())));
    QVERIFY2(forbidden.isEmpty(), qPrintable(forbidden.join(", ")));
    QVERIFY(!QByteArray::fromStdString(run.page).contains("url("));
}

void TestReport::namesStayText()
{
    const std::string file = (m_folder.path() + "/<b>evil&.json").toStdString();
    std::ofstream(file) << evilTrace();
    const Run run = runOf(file);
    QVERIFY(run.page.find("alert(") != std::string::npos); // it is shown …
    QVERIFY(run.page.find("<script") == std::string::npos); // … as text
    QVERIFY(run.page.find("<b>evil") == std::string::npos);
    QXmlStreamReader reader(QByteArray::fromStdString(run.page));
    while (!reader.atEnd())
        reader.readNext();
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
}

void TestReport::barAddsUp()
{
    const Run run = runOf(sample("cnn-starved.tlc.gz").toStdString());
    const std::vector<StepPart> parts = stepParts(run.advice.step);
    QVERIFY(parts.size() >= 3);
    std::int64_t sum = 0;
    for (const StepPart &part : parts)
        sum += part.ns;
    QVERIFY(std::abs(sum - run.advice.step.timeNs) <= 10); // rounding of each part
    const QString bar = QString::fromStdString(stepBar(parts));
    double end = 0;
    auto match = QRegularExpression("<rect x=\"([0-9.]+)\" y=\"0\" width=\"([0-9.]+)\"").globalMatch(bar);
    int boxes = 0;
    for (; match.hasNext(); ++boxes) {
        const auto box = match.next();
        QVERIFY(std::abs(box.captured(1).toDouble() - end) < 0.1); // each begins where the one before ended
        end = box.captured(1).toDouble() + box.captured(2).toDouble();
    }
    QCOMPARE(boxes, int(parts.size()));
    QVERIFY(std::abs(end - 1000) < 0.1);
}

void TestReport::showsTheAdvice()
{
    const Run run = runOf(sample("cnn-starved.tlc.gz").toStdString());
    QVERIFY(!run.advice.findings.empty());
    for (const Finding &finding : run.advice.findings) {
        QVERIFY2(run.page.find(htmlText(finding.title)) != std::string::npos, finding.title.c_str());
        QVERIFY2(run.page.find(htmlText(finding.fix.python)) != std::string::npos, finding.rule.c_str());
    }
    QVERIFY(run.page.find("A typical step") != std::string::npos);
    QVERIFY(run.page.find("prefers-color-scheme: dark") != std::string::npos);
}

void TestReport::withoutSteps()
{
    const Run run = runOf(TUNELINE_TEST_DATA "/cases/53_no_steps.json");
    QVERIFY(run.page.find("What a step") != std::string::npos);
    QVERIFY(run.page.find("A typical step") == std::string::npos);
    QVERIFY(stepTimeline(*run.analysis).empty());
}

// Thousands of events in a step become some hundreds of shapes.
void TestReport::pictureStaysSmall()
{
    const Run run = runOf(sample("gpt-fp32.tlc.gz").toStdString());
    const QString picture = QString::fromStdString(stepTimeline(*run.analysis));
    QVERIFY(picture.count("<rect") > 20);
    QVERIFY(picture.size() < 600'000);
}

void TestReport::json()
{
    const Run run = runOf(sample("cnn-starved.tlc.gz").toStdString());
    const auto report = reportJson(*run.analysis, run.advice);
    QCOMPARE(report["kind"].get<std::string>(), std::string("tuneline-report"));
    QCOMPARE(report["version"].get<int>(), 1);
    QCOMPARE(report["inspect"]["steps"]["count"].get<std::size_t>(), run.analysis->stepSet().list.size());
    QCOMPARE(report["advise"]["findings"].size(), run.advice.findings.size());
    QCOMPARE(report["advise"]["step"]["time_ns"].get<std::int64_t>(), run.advice.step.timeNs);
}

QTEST_GUILESS_MAIN(TestReport)
#include "tst_report.moc"
