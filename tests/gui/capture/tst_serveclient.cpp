// SPDX-License-Identifier: GPL-3.0-or-later
// The client of `tuneline-cli serve` against a scripted server: launch, progress, stop, fetch, and every way in which
// it can go wrong.
#include "tests/gui/support/guitest.h"
#include "ui/capture/capturesession.h"
#include "ui/monitor/capturepage.h"
#include "ui/widgets/banner.h"

#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>

using namespace tuneline::ui;

class ServeClientTest : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void answersComeInOrder();
    void noiseIsIgnored();
    void aMissingProgramIsSaid();
    void launchToResult();
    void aRemoteResultIsFetched();
    void refusalsAreShown();
    void aServerThatVanishesIsShown();
    void anEmptyWindowIsShown();
    void pageStopsAndShowsOutput();

private:
    [[nodiscard]] ServeCommand fake(const QString &script) const { return {FAKE_SERVE, {script, m_result}, {}}; }
    [[nodiscard]] static CaptureRequest request(const QString &host = {})
    {
        CaptureRequest request;
        request.host = host;
        request.program = "./train";
        request.window.steps = 8;
        return request;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_result;
    QByteArray m_content;
};

void ServeClientTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_result = m_folder->filePath("run.tlc");
    m_content = "a capture of fifty bytes, more than one chunk of seven";
    QFile file(m_result);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(m_content);
}

void ServeClientTest::answersComeInOrder()
{
    ServeClient client;
    client.start(fake("normal"));
    QStringList order;
    const auto wrong = [&order](const ServeError &error) { order << error.message; };
    client.call(
        "list", {},
        [&order](const QJsonObject &result) { order << QString("list %1").arg(result["processes"].toArray().size()); },
        wrong);
    client.call(
        "status", {}, [&order](const QJsonObject &) { order << "status"; }, wrong);
    QTRY_COMPARE(order, (QStringList{"list 2", "status"}));
}

void ServeClientTest::noiseIsIgnored()
{
    ServeClient client;
    client.start(fake("dirty"));
    bool answered = false;
    client.call(
        "list", {}, [&answered](const QJsonObject &) { answered = true; }, [](const ServeError &) {});
    QTRY_VERIFY(answered);
}

void ServeClientTest::aMissingProgramIsSaid()
{
    ServeClient client;
    QSignalSpy lost(&client, &ServeClient::lost);
    QString failed;
    client.start({"/nowhere/tuneline-cli", {"serve"}, {}});
    client.call(
        "list", {}, [](const QJsonObject &) {}, [&failed](const ServeError &error) { failed = error.message; });
    QTRY_VERIFY(failed.contains("/nowhere/tuneline-cli"));
    QCOMPARE(lost.count(), 1);
}

void ServeClientTest::launchToResult()
{
    CaptureSession session;
    session.setServeCommand(fake("normal"));
    session.setFolder(m_folder->path());
    QSignalSpy captured(&session, &CaptureSession::captured);
    session.start(request());
    QTRY_COMPARE(session.progress().state, CaptureState::Recording);
    QCOMPARE(session.progress().windowSteps, 4);
    QCOMPARE(session.progress().records, 2000);
    session.stop();
    QTRY_COMPARE(captured.count(), 1);
    QCOMPARE(captured.first().first().toStringList(), QStringList{m_result});
    QCOMPARE(session.progress().state, CaptureState::Done);
}

void ServeClientTest::aRemoteResultIsFetched()
{
    CaptureSession session;
    session.setServeCommand(fake("normal"));
    const QTemporaryDir here;
    session.setFolder(here.path());
    QSignalSpy captured(&session, &CaptureSession::captured);
    session.start(request("gpu3"));
    QTRY_COMPARE(session.progress().state, CaptureState::Recording);
    session.stop();
    QTRY_COMPARE(captured.count(), 1);
    const QString path = captured.first().first().toStringList().front();
    QVERIFY(path.startsWith(here.path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), m_content);
}

void ServeClientTest::refusalsAreShown()
{
    CaptureSession session;
    session.setServeCommand(fake("refuse"));
    session.setFolder(m_folder->path());
    QSignalSpy failed(&session, &CaptureSession::failed);
    session.start(request());
    QTRY_COMPARE(failed.count(), 1);
    const auto error = failed.first().first().value<ServeError>();
    QCOMPARE(error.code, 7);
    QCOMPARE(error.advice, QString("Give its path, or build it first."));
    QVERIFY(!session.running());
}

void ServeClientTest::aServerThatVanishesIsShown()
{
    CaptureSession session;
    session.setServeCommand(fake("vanish"));
    session.setFolder(m_folder->path());
    QSignalSpy failed(&session, &CaptureSession::failed);
    session.start(request());
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed.first().first().value<ServeError>().message.contains("has ended"));
    QTest::qWait(50);
    QCOMPARE(failed.count(), 1); // said once
}

void ServeClientTest::anEmptyWindowIsShown()
{
    CaptureSession session;
    session.setServeCommand(fake("nothing"));
    session.setFolder(m_folder->path());
    QSignalSpy failed(&session, &CaptureSession::failed);
    session.start(request());
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(failed.first().first().value<ServeError>().code, 10);
}

void ServeClientTest::pageStopsAndShowsOutput()
{
    CapturePage page;
    page.resize(900, 600);
    page.show();
    page.session().setServeCommand(fake("normal"));
    page.session().setFolder(m_folder->path());
    QSignalSpy captured(&page, &CapturePage::captured);
    page.start(request());
    auto *stop = page.findChildren<QPushButton *>().last();
    for (QPushButton *button : page.findChildren<QPushButton *>()) {
        if (button->text().contains("Stop"))
            stop = button;
    }
    QTRY_VERIFY(stop->isEnabled());
    QTRY_VERIFY(page.findChild<QPlainTextEdit *>()->toPlainText().contains("step 1 loss 6.9"));
    QTest::mouseClick(stop, Qt::LeftButton);
    QTRY_COMPARE(captured.count(), 1);
}

GUI_TEST_MAIN(ServeClientTest)
#include "tst_serveclient.moc"
