// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the built tuneline-cli and the tiny training program in a folder of their own, with a socket folder of their
// own.
#pragma once

#include "capture/session/capturefile.h"
#include "capture/session/procfs.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <memory>
#include <optional>

class Sandbox
{
public:
    Sandbox()
    {
        m_environment = QProcessEnvironment::systemEnvironment();
        m_environment.insert("TUNELINE_SOCKET_DIR", path("s"));
        for (const char *name :
             {"LD_PRELOAD", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "TUNELINE_AGENT", "RANK", "WORLD_SIZE"})
            m_environment.remove(name);
    }

    [[nodiscard]] QString path(const QString &name) const { return m_folder.filePath(name); }
    [[nodiscard]] bool has(const QString &name) const { return QFile::exists(path(name)); }
    [[nodiscard]] std::optional<tuneline::capture::CaptureFileFacts> capture(const QString &name) const
    {
        return tuneline::capture::readCaptureFile(path(name).toStdString());
    }
    QProcessEnvironment &environment() { return m_environment; }

    [[nodiscard]] std::unique_ptr<QProcess> start(const QString &program, const QStringList &arguments) const
    {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(m_environment);
        process->setWorkingDirectory(m_folder.path());
        process->start(program, arguments);
        process->waitForStarted();
        return process;
    }
    [[nodiscard]] std::unique_ptr<QProcess> startCli(const QStringList &arguments) const
    {
        return start(cli(), arguments);
    }

    struct Run
    {
        int exitCode = -1;
        QString output, errors;
    };
    [[nodiscard]] Run run(const QStringList &arguments) const { return finish(*startCli(arguments)); }
    static Run finish(QProcess &process)
    {
        process.closeWriteChannel();
        if (!process.waitForFinished(60'000)) {
            process.kill();
            process.waitForFinished();
            return {};
        }
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2, process.readAllStandardOutput(),
                process.readAllStandardError()};
    }

    static QString cli() { return QStringLiteral(TUNELINE_BUILD_DIR "/bin/tuneline-cli"); }
    static QString target() { return QStringLiteral(TUNELINE_BUILD_DIR "/bin/faketarget"); }
    static QString agent() { return QStringLiteral(TUNELINE_BUILD_DIR "/lib/libtuneline_agent.so"); }

    // The first descendant of `parent` with this name, once it is there.
    static pid_t waitForDescendant(qint64 parent, const std::string &name)
    {
        const tuneline::capture::ProcFs proc;
        for (int attempt = 0; attempt < 400; ++attempt) {
            for (const pid_t pid : proc.processes()) {
                const auto facts = proc.facts(pid);
                if (facts && facts->name == name && proc.descends(pid, static_cast<pid_t>(parent)))
                    return pid;
            }
            QTest::qWait(25);
        }
        return 0;
    }
    static bool alive(pid_t pid) { return tuneline::capture::ProcFs().alive(pid); }

private:
    QTemporaryDir m_folder;
    QProcessEnvironment m_environment;
};

#define VERIFY_EXIT(run, code)                                                                                         \
    QVERIFY2((run).exitCode == (code), qPrintable(QString("exit code %1: %2").arg((run).exitCode).arg((run).errors)))
