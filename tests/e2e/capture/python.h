// SPDX-License-Identifier: GPL-3.0-or-later
// Python programs under tuneline-cli: finds an interpreter that has PyTorch, and torchrun beside it.
#pragma once

#include "tests/e2e/capture/cli.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <netinet/in.h>
#include <sys/socket.h>

// "" = there is none. The system's own first: the one on PATH may be some other tool's.
inline QString pythonWithTorch()
{
    static const QString found = [] {
        for (const QString &python :
             {qEnvironmentVariable("TUNELINE_TEST_PYTHON"), QString("/usr/bin/python3"), QString("python3")}) {
            QProcess process;
            process.start(python, {"-c", "import torch, torch.distributed as d; assert d.is_gloo_available()"});
            if (!python.isEmpty() && process.waitForFinished(60'000) && process.exitStatus() == QProcess::NormalExit
                && process.exitCode() == 0)
                return python;
        }
        return QString();
    }();
    return found;
}

inline QString script(const char *name)
{
    return QString(TUNELINE_SOURCE_DIR "/tests/e2e/capture/python/") + name;
}

inline int freePort()
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool bound = bind(fd, reinterpret_cast<const sockaddr *>(&address), size) == 0
        && getsockname(fd, reinterpret_cast<sockaddr *>(&address), &size) == 0;
    close(fd);
    return bound ? ntohs(address.sin_port) : 29511;
}

// torchrun with two ranks. PyTorch 1.13 under Python 3.11 (Debian 12) can't start them unless stdout is redirected: its
// "no redirection" is looked up among the members of an enum, which has no member 0 any more.
inline QStringList torchrun(const Sandbox &box, const QStringList &program)
{
    QStringList line;
    const QString beside = QFileInfo(pythonWithTorch()).path() + "/torchrun";
    if (pythonWithTorch().contains('/') && QFileInfo::exists(beside))
        line << beside;
    else
        line << pythonWithTorch() << "-m"
             << "torch.distributed.run";
    line << "--nproc_per_node"
         << "2"
         << "--master_port" << QString::number(freePort()) << "-r"
         << "1"
         << "-t"
         << "1"
         << "--log_dir" << box.path("logs");
    return line + program;
}

inline QJsonObject asJson(const Sandbox::Run &run)
{
    return QJsonDocument::fromJson(run.output.toUtf8()).object();
}

// Names of the table ("ops", "ranges") that begin so.
inline QStringList namesIn(const QJsonObject &inspected, const QString &table, const QString &begin)
{
    QStringList names;
    for (const auto &row : inspected[table].toArray()) {
        if (const QString name = row.toObject()["name"].toString(); name.startsWith(begin))
            names << name;
    }
    names.sort();
    return names;
}

#define NEEDS_PYTHON()                                                                                                 \
    if (pythonWithTorch().isEmpty())                                                                                   \
    QSKIP("No Python with PyTorch and gloo here (python3-torch on Debian).")
