// SPDX-License-Identifier: GPL-3.0-or-later
// The forms that ask for a capture: what is typed is what is sent; knobs; the process list.
#include "analysis/detaillevels.h"
#include "tests/gui/support/guitest.h"
#include "ui/capture/attachpanel.h"
#include "ui/capture/launchform.h"
#include "ui/capture/processmodel.h"
#include "ui/widgets/banner.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>

using namespace tuneline::ui;

namespace {

template <typename T> T *named(QWidget &parent, const QString &name)
{
    for (T *child : parent.findChildren<T *>()) {
        if (child->accessibleName() == name)
            return child;
    }
    return nullptr;
}

QPushButton *button(QWidget &parent, const QString &text)
{
    for (QPushButton *child : parent.findChildren<QPushButton *>()) {
        if (child->text() == text)
            return child;
    }
    return nullptr;
}

} // namespace

class CaptureFormsTest : public QObject
{
    Q_OBJECT

private slots:
    void launchSendsWhatIsTyped();
    void badEnvironmentIsSaidInPlace();
    void theDetailSaysWhatItCosts();
    void theLastLaunchIsRemembered();
    void knobs_data();
    void knobs();
    void processModel();
    void attachListsAndChooses();
};

void CaptureFormsTest::launchSendsWhatIsTyped()
{
    LaunchForm form;
    form.show();
    form.setRequest({});
    QSignalSpy launched(&form, &LaunchForm::launchRequested);
    QVERIFY(!button(form, "Launch and capture")->isEnabled());
    QTest::keyClicks(named<QLineEdit>(form, "Program"), "./train");
    QTest::keyClicks(named<QLineEdit>(form, "Arguments"), "--name \"two words\" --workers 0");
    QTest::keyClicks(named<QPlainTextEdit>(form, "Environment"), "OMP_NUM_THREADS=1");
    QTest::mouseClick(button(form, "Launch and capture"), Qt::LeftButton);
    QCOMPARE(launched.count(), 1);
    const auto request = launched.first().first().value<CaptureRequest>();
    const QJsonObject json = launchParameters(request);
    QCOMPARE(json["argv"].toArray(), (QJsonArray{"./train", "--name", "two words", "--workers", "0"}));
    QCOMPARE(json["env"].toObject()["OMP_NUM_THREADS"].toString(), QString("1"));
    QCOMPARE(json["warmup"].toString(), QString("auto"));
    QCOMPARE(json["steps"].toInt(), 10);
    QVERIFY(json["seconds"].isNull());
    QVERIFY(json["arm"].toBool());
    QCOMPARE(json["graphs"].toString(), QString("kernels"));
    QVERIFY(!json["stop_after"].toBool()); // the user's run goes on, unless that was asked for
}

void CaptureFormsTest::theDetailSaysWhatItCosts()
{
    LaunchForm form;
    form.show();
    auto *detail = named<QComboBox>(form, "Detail");
    QCOMPARE(detail->count(), int(std::size(tuneline::analysis::kDetailLevels)));
    for (int i = 0; i < detail->count(); ++i) {
        detail->setCurrentIndex(i);
        const tuneline::analysis::DetailLevel &level = tuneline::analysis::kDetailLevels[i];
        QString all;
        for (const QLabel *label : form.findChildren<QLabel *>())
            all += label->text() + '\n';
        QVERIFY2(all.contains(QString::fromStdString(costText(level))), qPrintable(all));
        QVERIFY(all.contains("torch.profiler will not see the GPU"));
    }
    named<QComboBox>(form, "CUDA graphs")->setCurrentIndex(1);
    QCOMPARE(windowToJson(form.request().window)["graphs"].toString(), QString("whole"));
}

void CaptureFormsTest::badEnvironmentIsSaidInPlace()
{
    LaunchForm form;
    form.show();
    CaptureRequest request;
    request.program = "./train";
    request.environment = {"NOEQUALS"};
    form.setRequest(request);
    QSignalSpy launched(&form, &LaunchForm::launchRequested);
    QTest::mouseClick(button(form, "Launch and capture"), Qt::LeftButton);
    QCOMPARE(launched.count(), 0);
    QVERIFY(form.findChild<Banner *>()->isVisible());
    QVERIFY(form.findChild<Banner *>()->title().contains("NOEQUALS"));
}

void CaptureFormsTest::theLastLaunchIsRemembered()
{
    CaptureRequest request;
    request.host = "ada@gpu3";
    request.program = "/opt/my train";
    request.arguments = {"--a", "b c", ""};
    request.environment = {"A=b=c"};
    request.window = {5, 0, 2.5, "full", "whole"};
    request.stopAfter = true;
    const CaptureRequest again = fromStored(toStored(request));
    QCOMPARE(toStored(again), toStored(request));
    QCOMPARE(again.arguments, request.arguments);
    QCOMPARE(again.window.warmupSteps, 5);
    LaunchForm form;
    request.arguments.removeLast(); // an empty argument can't be typed
    form.setRequest(request);
    QCOMPARE(toStored(form.request()), toStored(request));
}

void CaptureFormsTest::knobs_data()
{
    QTest::addColumn<QStringList>("before");
    QTest::addColumn<QString>("knob");
    QTest::addColumn<QStringList>("after");
    QTest::newRow("replaced") << QStringList{"--workers", "0", "--model", "cnn"} << "workers=6"
                              << QStringList{"--workers", "6", "--model", "cnn"};
    QTest::newRow("joined") << QStringList{"--batch-size=8"} << "batch_size=16" << QStringList{"--batch-size=16"};
    QTest::newRow("added") << QStringList{"--model", "cnn"} << "pin_memory=true"
                           << QStringList{"--model", "cnn", "--pin-memory", "true"};
    QTest::newRow("not a prefix") << QStringList{"--workers-extra", "1"} << "workers=2"
                                  << QStringList{"--workers-extra", "1", "--workers", "2"};
    QTest::newRow("flag without value") << QStringList{"--pin-memory", "--model", "cnn"} << "pin_memory=false"
                                        << QStringList{"--pin-memory=false", "--model", "cnn"};
}

void CaptureFormsTest::knobs()
{
    QFETCH(QStringList, before);
    QFETCH(QString, knob);
    QFETCH(QStringList, after);
    QCOMPARE(withKnob(before, knob), after);
}

void CaptureFormsTest::processModel()
{
    ProcessModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows({{1, "a", "./a", "ada", true, "agent", {}, "1.13", true, false},
                   {2, "b", "./b", "bob", false, {}, "not yours", {}, false, false}});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(1, ProcessModel::Capture).data().toString(), QString("not yours"));
    QVERIFY(!(model.flags(model.index(1, 0)) & Qt::ItemIsEnabled));
    model.setRows({});
    QCOMPARE(model.rowCount(), 0);
}

void CaptureFormsTest::attachListsAndChooses()
{
    AttachPanel panel;
    panel.resize(700, 400);
    panel.setServeCommand({FAKE_SERVE, {"normal"}, {}});
    QSignalSpy chosen(&panel, &AttachPanel::attachRequested);
    panel.show();
    auto *table = panel.findChild<QTableView *>();
    QTRY_COMPARE(table->model()->rowCount(), 2);
    QCOMPARE(table->model()->index(0, ProcessModel::Pid).data().toInt(), 812); // what can be captured comes first
    QVERIFY(!button(panel, "Attach and capture")->isEnabled());
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(0, 1)).center());
    QVERIFY(button(panel, "Attach and capture")->isEnabled());
    QTest::mouseClick(button(panel, "Attach and capture"), Qt::LeftButton);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.first().first().value<CaptureRequest>().pid, 812);
}

GUI_TEST_MAIN(CaptureFormsTest)
#include "tst_captureforms.moc"
