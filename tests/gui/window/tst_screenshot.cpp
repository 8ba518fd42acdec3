// SPDX-License-Identifier: GPL-3.0-or-later
// The program itself: pictures without a display, and its exit codes.
#include "tests/gui/support/guitest.h"
#include "tests/gui/support/syntheticrun.h"

#include <QImage>
#include <QProcess>

using namespace tuneline;

class ScreenshotTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(test::writeKineto(m_folder.filePath("run.json"))); }
    void picturesTheTimeline();
    void twoThemesDiffer();
    void unreadableIsThree();
    void wrongUsageIsTwo();

private:
    [[nodiscard]] int run(const QStringList &arguments) const
    {
        QProcess process;
        process.start(TUNELINE_PROGRAM, arguments);
        process.waitForFinished(60000);
        return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    }

    QTemporaryDir m_folder;
};

void ScreenshotTest::picturesTheTimeline()
{
    const QString picture = m_folder.filePath("a.png");
    QCOMPARE(run({m_folder.filePath("run.json"), "--screenshot", picture, "--size", "1280x720"}), 0);
    const QImage image(picture);
    QCOMPARE(image.size(), QSize(1280, 720));
}

void ScreenshotTest::twoThemesDiffer()
{
    const QString light = m_folder.filePath("light.png");
    const QString dark = m_folder.filePath("dark.png");
    QCOMPARE(run({"--screenshot", light, "--theme", "light", "--view", "start", "--size", "1280x720"}), 0);
    QCOMPARE(run({"--screenshot", dark, "--theme", "dark", "--view", "start", "--size", "1280x720"}), 0);
    QVERIFY(QImage(light).pixelColor(640, 700).lightness() > 200);
    QVERIFY(QImage(dark).pixelColor(640, 700).lightness() < 60);
}

void ScreenshotTest::unreadableIsThree()
{
    const QString picture = m_folder.filePath("error.png");
    QCOMPARE(run({m_folder.filePath("not-there.json"), "--screenshot", picture}), 3);
    QVERIFY(!QImage(picture).isNull()); // the picture shows the message
}

void ScreenshotTest::wrongUsageIsTwo()
{
    QCOMPARE(run({"--compare", "only-one.json", "--screenshot", m_folder.filePath("x.png")}), 2);
    QCOMPARE(run({"--size", "huge", "--screenshot", m_folder.filePath("x.png")}), 2);
}

GUI_TEST_MAIN(ScreenshotTest)
#include "tst_screenshot.moc"
