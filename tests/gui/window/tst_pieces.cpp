// SPDX-License-Identifier: GPL-3.0-or-later
// Figures as text, theme, icons, status of the import, step breakdown of the bar.
#include "tests/gui/support/guitest.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/reportpage.h"
#include "ui/widgets/theme.h"

#include <QDir>

#include <algorithm>
#include <cmath>

using namespace tuneline;
using namespace tuneline::ui;

class PiecesTest : public QObject
{
    Q_OBJECT

private slots:
    void percents();
    void ranges();
    void contrast_data();
    void contrast();
    void everyIconRenders();
    void importStatus();
};

namespace {

QString plain(QString text)
{
    return text.replace(QChar(0x202F), ' ').replace(QChar(0x00A0), ' ').replace(QChar(0x2212), '-');
}

// WCAG 2 relative luminance.
double luminance(const QColor &colour)
{
    const auto channel = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * channel(colour.redF()) + 0.7152 * channel(colour.greenF()) + 0.0722 * channel(colour.blueF());
}

double contrastOf(const QColor &a, const QColor &b)
{
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

} // namespace

void PiecesTest::percents()
{
    QCOMPARE(plain(percentText(0.1234)), QString("12 %"));
    QCOMPARE(plain(percentText(0.0314)), QString("3.1 %"));
    QCOMPARE(plain(percentText(0)), QString("0 %"));
    QCOMPARE(plain(changeText(-0.2)), QString("-20 %"));
    QCOMPARE(plain(changeText(0.031)), QString("+3.1 %"));
    QCOMPARE(plain(changeText(0.00001)), QString("0.0 %")); // no "+0.0 %"
}

void PiecesTest::ranges()
{
    QCOMPARE(plain(percentRangeText(0.08, 0.12)), QString("8 – 12 %"));
    QCOMPARE(plain(percentRangeText(0.031, 0.08)), QString("3.1 – 8.0 %"));
    QCOMPARE(plain(percentRangeText(0.2, 0.2)), QString("20 %"));
    QCOMPARE(plain(percentRangeText(-0.05, 0.1)), QString("-5 – 10 %"));
    const QString same = plain(durationRangeText(1'200'000, 1'800'000));
    QCOMPARE(same, QString("1.20 – 1.80 ms"));
    const QString different = plain(durationRangeText(900'000, 1'800'000));
    QVERIFY(different.contains("ms"));
}

void PiecesTest::contrast_data()
{
    QTest::addColumn<ThemeMode>("mode");
    QTest::newRow("light") << ThemeMode::Light;
    QTest::newRow("dark") << ThemeMode::Dark;
}

// WCAG 2 AA: 4.5 for text.
void PiecesTest::contrast()
{
    QFETCH(ThemeMode, mode);
    Theme::instance().apply(mode);
    const ThemeColours &c = Theme::instance().colours();
    const std::pair<QColor, QColor> pairs[] = {
        {c.text, c.window},       {c.text, c.surface},  {c.muted, c.window},    {c.muted, c.surface},
        {c.accent, c.surface},    {c.good, c.goodSoft}, {c.warn, c.warnSoft},   {c.bad, c.badSoft},
        {c.text, c.goodSoft},     {c.text, c.warnSoft}, {c.text, c.accentSoft}, {c.accentText, c.accent},
        {c.accent, c.accentSoft}, {c.muted, c.sunken}};
    for (const auto &[text, ground] : pairs)
        QVERIFY2(contrastOf(text, ground) >= 4.5, qPrintable(text.name() + " on " + ground.name()));
    Theme::instance().apply(ThemeMode::Light);
}

void PiecesTest::everyIconRenders()
{
    const QStringList names = QDir(":/icons").entryList({"*.svg"});
    QVERIFY(names.size() > 20);
    for (const QString &file : names) {
        const QImage image = iconPixmap(QString(file).chopped(4), IconTone::Text, 32, 1.0).toImage();
        bool drawn = false;
        for (int y = 0; y < image.height() && !drawn; ++y) {
            for (int x = 0; x < image.width() && !drawn; ++x)
                drawn = image.pixelColor(x, y).alpha() > 0;
        }
        QVERIFY2(drawn, qPrintable(file));
    }
}

void PiecesTest::importStatus()
{
    analysis::ImportReport report;
    QVERIFY(importSummary(report).clean());
    report.add("event-skipped", analysis::Severity::DataLoss, {}, 3);
    report.add("string-repaired", analysis::Severity::Warning, {}, 2);
    const ImportSummary summary = importSummary(report);
    QCOMPARE(summary.lost, std::uint64_t(3));
    QCOMPARE(summary.repaired, std::uint64_t(2));
    QCOMPARE(importStatusText(summary), QString("Import: 3 lost, 2 repaired or doubtful"));
}

GUI_TEST_MAIN(PiecesTest)
#include "tst_pieces.moc"
