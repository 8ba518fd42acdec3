// SPDX-License-Identifier: GPL-3.0-or-later
// A /proc made of files, for tests that must not depend on what runs on the machine.
#pragma once

#include "capture/session/procfs.h"

#include <QTemporaryDir>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

class FakeProc
{
public:
    struct Process
    {
        int pid = 0, parent = 1;
        unsigned uid = 1000;
        std::string name = "train";
        char state = 'S';
        unsigned long long start = 100;
        std::vector<std::string> commandLine{"./train"};
        std::vector<std::string> environment{};
        std::string maps{};
        bool mapsReadable = true;
        std::string innerPids{}; // further numbers on the NSpid line
        std::string capabilities = "0000000000000000";
    };

    [[nodiscard]] std::filesystem::path root() const { return m_folder.path().toStdString(); }
    [[nodiscard]] tuneline::capture::ProcFs proc() const { return tuneline::capture::ProcFs(root()); }

    void add(const Process &p) const
    {
        const auto folder = root() / std::to_string(p.pid);
        std::filesystem::create_directories(folder);
        // Fields 5 to 21 don't matter; 22 is the start.
        std::string stat = std::to_string(p.pid) + " (" + p.name + ") " + p.state + ' ' + std::to_string(p.parent);
        for (int field = 5; field <= 21; ++field)
            stat += " 0";
        write(folder / "stat", stat + ' ' + std::to_string(p.start) + " 0 0\n");
        const auto uid = std::to_string(p.uid);
        write(folder / "status",
              "Name:\t" + p.name + "\nUid:\t" + uid + '\t' + uid + '\t' + uid + '\t' + uid + "\nNSpid:\t"
                  + std::to_string(p.pid) + p.innerPids + "\nCapEff:\t" + p.capabilities + '\n');
        write(folder / "cmdline", joined(p.commandLine));
        write(folder / "environ", joined(p.environment));
        if (p.mapsReadable)
            write(folder / "maps", p.maps);
    }
    void setPtraceScope(int scope) const
    {
        std::filesystem::create_directories(root() / "sys/kernel/yama");
        write(root() / "sys/kernel/yama/ptrace_scope", std::to_string(scope) + '\n');
    }
    void setNamespace(int pid, const std::string &name) const
    {
        const auto folder = root() / std::to_string(pid) / "ns";
        std::filesystem::create_directories(folder);
        std::filesystem::create_symlink("mnt:[" + name + ']', folder / "mnt");
    }
    static void write(const std::filesystem::path &file, const std::string &text)
    {
        std::ofstream(file, std::ios::binary) << text;
    }

    static std::string mapLine(const std::string &path)
    {
        return "7f0000000000-7f0000001000 r-xp 00000000 fe:00 1234                       " + path + '\n';
    }

private:
    static std::string joined(const std::vector<std::string> &parts)
    {
        std::string text;
        for (const auto &part : parts)
            text += part + '\0';
        return text;
    }
    QTemporaryDir m_folder;
};
