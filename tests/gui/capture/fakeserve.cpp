// SPDX-License-Identifier: GPL-3.0-or-later
// Plays `tuneline-cli serve` for the GUI tests: answers as PROTOCOL.md says, by a script named on the command line.
// Scripts: normal, refuse (launch fails), vanish (ends in mid-capture), nothing (a window without records), dirty
// (noise between the messages).
#include <QByteArray>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cstdio>
#include <iostream>
#include <string>

namespace {

QString script;
QString result; // the capture that fetch reads and `captured` names

void send(const QJsonObject &message)
{
    std::cout << QJsonDocument(message).toJson(QJsonDocument::Compact).toStdString() << std::endl;
}

void notify(const QString &method, const QJsonObject &parameters)
{
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}});
}

void answer(const QJsonValue &id, const QJsonObject &value)
{
    send({{"jsonrpc", "2.0"}, {"id", id}, {"result", value}});
}

void refuse(const QJsonValue &id, int code, const QString &message, const QString &advice)
{
    send({{"jsonrpc", "2.0"},
          {"id", id},
          {"error", QJsonObject{{"code", code}, {"message", message}, {"data", QJsonObject{{"advice", advice}}}}}});
}

void progress(const QString &state, int steps, int records)
{
    notify("progress",
           {{"session", 1},
            {"pid", 812},
            {"state", state},
            {"steps_seen", steps + 5},
            {"window_steps", steps},
            {"records", records},
            {"dropped", 0},
            {"bytes", records * 24},
            {"message", ""},
            {"ranks", QJsonArray{QJsonObject{}}}});
}

void finishCapture()
{
    progress("baseline-after", 8, 4000);
    const QJsonObject file{
        {"path", result}, {"pid", 812}, {"rank", QJsonValue()}, {"bytes", QFile(result).size()}, {"complete", true}};
    notify("captured",
           {{"session", 1}, {"path", result}, {"complete", true}, {"message", ""}, {"files", QJsonArray{file}}});
}

void launch(const QJsonValue &id)
{
    if (script == "refuse") {
        refuse(id, 7, "no such program: ./train", "Give its path, or build it first.");
        return;
    }
    answer(id, {{"session", 1}, {"pid", 812}, {"out", result}});
    notify("output", {{"session", 1}, {"stream", "stdout"}, {"text", "step 1 loss 6.9"}});
    progress("warming-up", 0, 0);
    if (script == "vanish")
        std::exit(9);
    if (script == "nothing") {
        notify("failed",
               {{"session", 1},
                {"code", 10},
                {"message", "the window left no records"},
                {"advice", "Record more steps."}});
        return;
    }
    progress("recording", 4, 2000);
}

void fetch(const QJsonValue &id, const QJsonObject &parameters)
{
    QFile file(result);
    if (!file.open(QIODevice::ReadOnly)) {
        refuse(id, 14, "can't read", "");
        return;
    }
    file.seek(parameters["offset"].toInteger());
    const QByteArray data = file.read(7); // small, so that the client has to come again
    answer(id,
           {{"offset", parameters["offset"]},
            {"bytes", data.size()},
            {"size", file.size()},
            {"eof", file.atEnd()},
            {"data", QString::fromLatin1(data.toBase64())}});
}

QJsonObject process(int pid, const QString &name, bool capturable, const QString &why)
{
    return {{"pid", pid},
            {"name", name},
            {"command_line", QJsonArray{"./" + name, "--batch", "64"}},
            {"user", "ada"},
            {"capturable", capturable},
            {"how", capturable ? QJsonValue("agent") : QJsonValue()},
            {"why", why.isEmpty() ? QJsonValue() : QJsonValue(why)},
            {"torch", "1.13"},
            {"cuda", false}};
}

void handle(const QJsonObject &message)
{
    const QString method = message["method"].toString();
    const QJsonValue id = message["id"];
    if (script == "dirty")
        std::cout << "a line that is no JSON\n" << std::flush;
    if (method == "hello")
        answer(id, {{"protocol", 1}, {"server", "fake"}});
    else if (method == "list")
        answer(
            id,
            {{"processes",
              QJsonArray{process(9, "other", false, "it belongs to another user"), process(812, "train", true, "")}}});
    else if (method == "launch" || method == "attach")
        launch(id);
    else if (method == "fetch")
        fetch(id, message["params"].toObject());
    else if (method == "stop") {
        answer(id, {});
        finishCapture();
    } else
        answer(id, {});
}

} // namespace

int main(int argc, char **argv)
{
    script = QString::fromUtf8(argc > 1 ? argv[1] : "normal");
    result = QString::fromUtf8(argc > 2 ? argv[2] : "");
    std::string line;
    while (std::getline(std::cin, line))
        handle(QJsonDocument::fromJson(QByteArray::fromStdString(line)).object());
    return 0;
}
