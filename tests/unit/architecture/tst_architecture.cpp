// SPDX-License-Identifier: GPL-3.0-or-later
// The fences of DESIGN section 3, read off every #include line: which target may use which, and which libraries.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

namespace {

enum Library : unsigned {
    Standard = 1, // the C and C++ libraries
    Posix = 2, // system headers, dl, pthread
    QtLibrary = 4,
    Charts = 8, // QCustomPlot
    Torch = 16,
    Json = 32, // nlohmann_json
    Expected = 64, // tl::expected
    Cupti = 128,
    Arguments = 256, // CLI11
    Other = 512, // any other non-GUI library of Debian
};

struct Rule
{
    const char *target;
    QStringList mayUse; // other targets of ours
    unsigned libraries;
};

// One row per row of the table in DESIGN section 3. The trainer is a training program: it may use LibTorch and the
// marks.
const QList<Rule> kRules{
    {"capture/format", {}, Standard},
    {"capture/marks", {}, Standard | Posix},
    {"capture/agent", {"capture/format"}, Standard | Posix | Cupti},
    {"capture/torch", {"capture/agent", "capture/format"}, Standard | Posix | Torch},
    {"capture/session", {"capture/format"}, Standard | Posix | Json | Expected | Other},
    {"capture/trainer", {"capture/marks"}, Standard | Posix | Torch | Json | Arguments | Other},
    {"analysis", {"capture/format"}, Standard | Posix | Json | Expected | Other},
    {"ui", {"analysis"}, Standard | Posix | QtLibrary | Charts | Json | Expected},
    {"app",
     {"analysis", "ui", "capture/session", "capture/format"},
     Standard | Posix | QtLibrary | Json | Expected | Arguments},
};

QString targetOf(const QString &path)
{
    for (const Rule &rule : kRules) {
        const auto target = QString::fromLatin1(rule.target);
        if (path.startsWith(target + u'/'))
            return target;
    }
    return path.section(u'/', 0, 0);
}

bool startsWithAny(const QString &text, const QStringList &prefixes)
{
    return std::any_of(prefixes.begin(), prefixes.end(), [&](const QString &p) { return text.startsWith(p); });
}

Library libraryOf(const QString &header)
{
    static const QRegularExpression qt(QStringLiteral("^(Q[A-Z]|Qt|q[a-z]+\\.h$)"));
    static const QStringList cHeaders{"assert.h", "ctype.h",  "errno.h",  "float.h",   "inttypes.h", "limits.h",
                                      "math.h",   "signal.h", "stdarg.h", "stdbool.h", "stddef.h",   "stdint.h",
                                      "stdio.h",  "stdlib.h", "string.h", "time.h",    "cxxabi.h",   "immintrin.h"};
    static const QStringList posix{"sys/",    "linux/",    "netinet/",  "dlfcn.h",  "elf.h",    "fcntl.h",
                                   "link.h",  "poll.h",    "pthread.h", "pwd.h",    "sched.h",  "semaphore.h",
                                   "spawn.h", "syscall.h", "termios.h", "unistd.h", "dirent.h", "glob.h"};
    if (header == u"qcustomplot.h")
        return Charts;
    if (startsWithAny(header, {"torch/", "ATen/", "c10/"}))
        return Torch;
    if (startsWithAny(header, {"nlohmann/"}))
        return Json;
    if (startsWithAny(header, {"tl/"}))
        return Expected;
    if (startsWithAny(header, {"cupti", "cuda", "nvtx"}))
        return Cupti;
    if (startsWithAny(header, {"CLI/"}))
        return Arguments;
    if (qt.match(header).hasMatch())
        return QtLibrary;
    if (startsWithAny(header, posix))
        return Posix;
    return !header.contains(u'.') || cHeaders.contains(header) ? Standard : Other;
}

} // namespace

class ArchitectureTest : public QObject
{
    Q_OBJECT

private slots:
    void libraryOf_data();
    void libraryOf();
    void includes_data();
    void includes();
    void agentPrintsNothing();
};

void ArchitectureTest::libraryOf_data()
{
    QTest::addColumn<QString>("header");
    QTest::addColumn<unsigned>("library");
    QTest::newRow("std") << "vector" << unsigned(Standard);
    QTest::newRow("c") << "stdint.h" << unsigned(Standard);
    QTest::newRow("posix") << "sys/socket.h" << unsigned(Posix);
    QTest::newRow("qt class") << "QWidget" << unsigned(QtLibrary);
    QTest::newRow("qt module") << "QtConcurrent/QtConcurrentRun" << unsigned(QtLibrary);
    QTest::newRow("std queue is not qt") << "queue" << unsigned(Standard);
    QTest::newRow("charts") << "qcustomplot.h" << unsigned(Charts);
    QTest::newRow("torch") << "ATen/record_function.h" << unsigned(Torch);
    QTest::newRow("sqlite") << "sqlite3.h" << unsigned(Other);
}

void ArchitectureTest::libraryOf()
{
    QFETCH(QString, header);
    QFETCH(unsigned, library);
    QCOMPARE(unsigned(::libraryOf(header)), library);
}

void ArchitectureTest::includes_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<QStringList>("mayUse");
    QTest::addColumn<unsigned>("libraries");
    for (const Rule &rule : kRules)
        QTest::newRow(rule.target) << QString::fromLatin1(rule.target) << rule.mayUse << rule.libraries;
}

void ArchitectureTest::includes()
{
    QFETCH(QString, target);
    QFETCH(QStringList, mayUse);
    QFETCH(unsigned, libraries);
    static const QRegularExpression include(QStringLiteral("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]"));
    const QDir root(QStringLiteral(TUNELINE_SOURCE_DIR));

    int files = 0;
    QStringList trespasses;
    QDirIterator it(root.filePath(target), {"*.h", "*.cpp", "*.c"}, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext()) {
        const QString path = root.relativeFilePath(it.next());
        if (targetOf(path) != target)
            continue;
        ++files;
        QFile file(it.filePath());
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
        int line = 0;
        while (!file.atEnd()) {
            ++line;
            const auto match = include.match(QString::fromUtf8(file.readLine()));
            if (!match.hasMatch())
                continue;
            const QString header = match.captured(2);
            const bool generatedByMoc = header.endsWith(u".moc");
            // Quotes and slashes name a file of ours by its path from the root; "tuneline/marks.h" is what users write.
            const bool ours = root.exists(header) || header == u"tuneline/marks.h";
            const QString used = header == u"tuneline/marks.h" ? QStringLiteral("capture/marks") : targetOf(header);
            const bool allowed = generatedByMoc
                || (ours ? used == target || mayUse.contains(used) : (::libraryOf(header) & libraries) != 0);
            if (!allowed)
                trespasses << QStringLiteral("%1:%2 includes %3").arg(path).arg(line).arg(header);
        }
    }
    QVERIFY2(files > 0, "no source found: has the folder moved?");
    QVERIFY2(trespasses.isEmpty(), qPrintable(trespasses.join(u'\n')));
}

void ArchitectureTest::agentPrintsNothing()
{
    static const QRegularExpression print(QStringLiteral("std::cout|std::cerr|[^nv]printf\\s*\\(|\\bputs\\s*\\("));
    const QDir root(QStringLiteral(TUNELINE_SOURCE_DIR));
    for (const auto *folder : {"capture/agent", "capture/torch", "capture/marks"}) {
        QDirIterator it(root.filePath(QString::fromLatin1(folder)), {"*.h", "*.cpp"}, QDir::Files,
                        QDirIterator::Subdirectories);
        while (it.hasNext()) {
            QFile file(it.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const auto match = print.match(QString::fromUtf8(file.readAll()));
            QVERIFY2(!match.hasMatch(), qPrintable(it.filePath() + QStringLiteral(": ") + match.captured()));
        }
    }
}

QTEST_GUILESS_MAIN(ArchitectureTest)
#include "tst_architecture.moc"
