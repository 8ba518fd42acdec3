// SPDX-License-Identifier: GPL-3.0-or-later
// The import report: each problem, where it is, and the file's own text there.
#include "analysis/import/open.h"
#include "tests/gui/support/guitest.h"
#include "ui/models/reportmodel.h"
#include "ui/widgets/reportpage.h"

#include <QPlainTextEdit>
#include <QTemporaryDir>
#include <QTreeView>
#include <fstream>
#include <zlib.h>

using namespace tuneline;
using namespace tuneline::ui;

class ImportReportTest : public QObject
{
    Q_OBJECT

private slots:
    void showsTheText_data();
    void showsTheText();
    void cleanFileHasNoList();

private:
    QTemporaryDir m_folder;
};

namespace {

const QByteArray kDamaged = "{\"traceEvents\": [\n"
                            "{\"ph\":\"X\",\"name\":\"first\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2},\n"
                            "{\"ph\":\"X\",\"name:\"broken\",\"pid\":1,\"tid\":1,\"ts\":4,\"dur\":2},\n"
                            "{\"ph\":\"X\",\"name\":\"last\",\"pid\":1,\"tid\":1,\"ts\":7,\"dur\":2}\n]}\n";

analysis::TracePtr opened(const QString &file)
{
    analysis::Progress progress;
    auto trace = analysis::openTrace({file.toStdString()}, progress);
    return trace ? *trace : nullptr;
}

} // namespace

void ImportReportTest::showsTheText_data()
{
    QTest::addColumn<bool>("packed");
    QTest::newRow("plain") << false;
    QTest::newRow("gzip") << true;
}

void ImportReportTest::showsTheText()
{
    QFETCH(bool, packed);
    const QString file = m_folder.path() + (packed ? "/damaged.json.gz" : "/damaged.json");
    const gzFile out = gzopen(qPrintable(file), packed ? "wb" : "wbT"); // T: as it stands
    QCOMPARE(gzwrite(out, kDamaged.data(), static_cast<unsigned>(kDamaged.size())), int(kDamaged.size()));
    gzclose(out);
    ReportPage page;
    page.setTrace(opened(file));
    page.resize(900, 300);
    page.show();
    auto *tree = page.findChild<QTreeView *>();
    auto *text = page.findChild<QPlainTextEdit *>();
    QVERIFY(tree != nullptr && text != nullptr && text->toPlainText().isEmpty());
    const QAbstractItemModel *model = tree->model();
    QCOMPARE(model->rowCount(), 1);
    const QModelIndex problem = model->index(0, ReportModel::Name);
    QCOMPARE(problem.data().toString(), QString("event-skipped"));
    QCOMPARE(model->rowCount(problem), 1);
    const QString byte = QString::number(kDamaged.indexOf("{\"ph\":\"X\",\"name:"));
    QCOMPARE(model->index(0, ReportModel::Place, problem).data().toString(), "line 3, byte " + byte);
    tree->setCurrentIndex(model->index(0, 0, problem));
    QCOMPARE(text->toPlainText(), QString::fromUtf8(kDamaged));
    QCOMPARE(text->extraSelections().size(), 1);
    QVERIFY(text->extraSelections().front().cursor.selectedText().startsWith("{\"ph\":\"X\",\"name:\"broken"));
}

void ImportReportTest::cleanFileHasNoList()
{
    const QString file = m_folder.path() + "/clean.json";
    std::ofstream(file.toStdString()) << R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}])";
    ReportPage page;
    page.setTrace(opened(file));
    page.show();
    QVERIFY(!page.findChild<QTreeView *>()->isVisible());
}

GUI_TEST_MAIN(ImportReportTest)
#include "tst_importreport.moc"
