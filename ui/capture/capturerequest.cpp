// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/capturerequest.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

namespace tuneline::ui {

QString CaptureRequest::summary() const
{
    const QString what = isAttach() ? QString("%1 (%2)").arg(processName).arg(pid)
                                    : (QFileInfo(program).fileName() + ' ' + joinArguments(arguments)).trimmed();
    return host.isEmpty() ? what : QCoreApplication::translate("CaptureRequest", "%1 on %2").arg(what, host);
}

QJsonObject windowToJson(const CaptureWindow &window)
{
    QJsonObject json{{"detail", window.detail}, {"graphs", window.graphs}};
    json["warmup"] = window.warmupSteps < 0 ? QJsonValue("auto") : QJsonValue(window.warmupSteps);
    json["steps"] = window.steps > 0 ? QJsonValue(window.steps) : QJsonValue();
    json["seconds"] = window.seconds > 0 ? QJsonValue(window.seconds) : QJsonValue();
    return json;
}

QJsonObject launchParameters(const CaptureRequest &request)
{
    QJsonObject json = windowToJson(request.window);
    QJsonArray argv{request.program};
    for (const QString &argument : request.arguments)
        argv.append(argument);
    QJsonObject environment;
    for (const QString &line : request.environment) {
        if (line.contains('='))
            environment[line.section('=', 0, 0).trimmed()] = line.section('=', 1);
    }
    json["argv"] = argv;
    json["cwd"] = request.folder.isEmpty() ? QJsonValue() : QJsonValue(request.folder);
    json["env"] = environment;
    json["arm"] = true;
    json["stop_after"] = request.stopAfter;
    return json;
}

QJsonObject attachParameters(const CaptureRequest &request)
{
    QJsonObject json = windowToJson(request.window);
    json["pid"] = request.pid;
    json["arm"] = true;
    json["debugger"] = true;
    return json;
}

QByteArray toStored(const CaptureRequest &request)
{
    QJsonObject json = launchParameters(request);
    json["host"] = request.host;
    return QJsonDocument(json).toJson(QJsonDocument::Compact);
}

CaptureRequest fromStored(const QByteArray &stored)
{
    const QJsonObject json = QJsonDocument::fromJson(stored).object();
    CaptureRequest request;
    if (json.isEmpty())
        return request;
    request.host = json["host"].toString();
    const QJsonArray argv = json["argv"].toArray();
    for (const QJsonValue &value : argv)
        request.arguments.append(value.toString());
    if (!request.arguments.isEmpty())
        request.program = request.arguments.takeFirst();
    request.folder = json["cwd"].toString();
    const QJsonObject environment = json["env"].toObject();
    for (auto it = environment.begin(); it != environment.end(); ++it)
        request.environment.append(it.key() + '=' + it.value().toString());
    request.window.warmupSteps = json["warmup"].toInt(CaptureWindow::kAutoWarmup);
    request.window.steps = json["steps"].toInt();
    request.window.seconds = json["seconds"].toDouble();
    request.window.detail = json["detail"].toString("normal");
    request.window.graphs = json["graphs"].toString("kernels");
    request.stopAfter = json["stop_after"].toBool(false);
    return request;
}

QStringList withKnob(const QStringList &arguments, const QString &knob)
{
    const QString flag = "--" + knob.section('=', 0, 0).replace('_', '-');
    const QString value = knob.section('=', 1);
    QStringList changed = arguments;
    for (qsizetype i = 0; i < changed.size(); ++i) {
        if (changed[i].startsWith(flag + '=')) {
            changed[i] = flag + '=' + value;
            return changed;
        }
        if (changed[i] != flag)
            continue;
        if (i + 1 < changed.size() && !changed[i + 1].startsWith("--"))
            changed[i + 1] = value;
        else
            changed[i] = flag + '=' + value; // a flag without a value so far
        return changed;
    }
    return changed << flag << value;
}

QString joinArguments(const QStringList &arguments)
{
    QStringList quoted;
    for (QString argument : arguments) {
        if (argument.isEmpty() || argument.contains(' ') || argument.contains('"'))
            argument = '"' + argument.replace('"', "\"\"\"") + '"';
        quoted.append(argument);
    }
    return quoted.join(' ');
}

} // namespace tuneline::ui
