// SPDX-License-Identifier: GPL-3.0-or-later
// What the user asks to be captured: values that forms fill in, the session sends and preferences remember.
#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace tuneline::ui {

// The window of PROTOCOL.md.
struct CaptureWindow
{
    static constexpr int kAutoWarmup = -1;
    int warmupSteps = kAutoWarmup;
    int steps = 10; // 0 = no limit
    double seconds = 0; // 0 = no limit
    QString detail = "normal";
    QString graphs = "kernels"; // or "whole"
};

struct CaptureRequest
{
    QString host; // "" = this machine
    // Launch.
    QString program;
    QStringList arguments;
    QString folder; // "" = the server's
    QStringList environment; // NAME=value
    // Attach, if > 0.
    qint64 pid = 0;
    QString processName;

    CaptureWindow window;
    bool stopAfter = false; // launched programs only

    [[nodiscard]] bool isAttach() const { return pid > 0; }
    [[nodiscard]] QString summary() const; // "tuneline-train --workers 0 on gpu3"
};

[[nodiscard]] QJsonObject windowToJson(const CaptureWindow &window); // parameters of launch, attach and arm
[[nodiscard]] QJsonObject launchParameters(const CaptureRequest &request);
[[nodiscard]] QJsonObject attachParameters(const CaptureRequest &request);

// For preferences.
[[nodiscard]] QByteArray toStored(const CaptureRequest &request);
[[nodiscard]] CaptureRequest fromStored(const QByteArray &stored);

// "KNOB=VALUE" (CLI.md, Knobs) as the flag of tuneline-train, replacing the one that is there: {"--workers", "6"}.
[[nodiscard]] QStringList withKnob(const QStringList &arguments, const QString &knob);
// Shell-like splitting and joining of a command line; quoting by QProcess's rules.
[[nodiscard]] QString joinArguments(const QStringList &arguments);

} // namespace tuneline::ui
