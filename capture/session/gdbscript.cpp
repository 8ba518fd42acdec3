// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/gdbscript.h"

#include <array>

namespace tuneline::capture {

namespace {

constexpr std::string_view kEntry = "tuneline_agent_start";

std::string quotedForGdb(const std::string &text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

void line(std::string &script, std::string_view text)
{
    script += text;
    script += '\n';
}

void stage(std::string &script, std::string_view marker)
{
    line(script, "echo " + std::string(marker) + "\\n");
}

void printTruth(std::string &script, std::string_view marker, std::string_view expression)
{
    line(script, "printf \"" + std::string(marker) + "%d\\n\", " + std::string(expression));
}

void reachSafePoint(std::string &script)
{
    line(script, "set confirm off");
    line(script, "set language c");
    line(script, "set unwindonsignal on"); // a crash inside the call must not end the program
    stage(script, gdbstage::kAttached);
    line(script, "sharedlibrary libc\\.so|libc-2|libdl");
    line(script, "handle all nostop noprint pass"); // its own signals go on to it
    line(script, "tbreak malloc");
    line(script, "continue");
}

void callByGdb(std::string &script, const std::string &agent)
{
    stage(script, gdbstage::kSafePoint);
    line(script, "set $tuneline = ((void *(*)(const char *, int))dlopen)(" + quotedForGdb(agent) + ", 2)");
    printTruth(script, gdbstage::kLoaded, "$tuneline != 0");
    line(script, "if $tuneline == 0");
    line(script, "printf \"" + std::string(gdbstage::kReason) + "%s\\n\", ((char *(*)(void))dlerror)()");
    line(script, "else");
    line(script,
         "set $tunelineStart = ((void *(*)(void *, const char *))dlsym)($tuneline, " + quotedForGdb(std::string(kEntry))
             + ")");
    printTruth(script, gdbstage::kStarted, "((int (*)(void))$tunelineStart)()");
    line(script, "end");
}

// The registers that an instruction or a system call can hold something in, with the two that say where it goes on.
constexpr std::array<std::string_view, 19> kGeneral{"rax", "rbx", "rcx", "rdx",    "rsi",     "rdi", "rbp",
                                                    "r8",  "r9",  "r10", "r11",    "r12",     "r13", "r14",
                                                    "r15", "rsp", "rip", "eflags", "orig_rax"};

// Text into the process's own stack, far below what is in use. gdb would take malloc for a string in a call.
void place(std::string &script, std::string_view address, const std::string &text)
{
    line(script,
         "set {char[" + std::to_string(text.size() + 1) + "]}(" + std::string(address) + ") = " + quotedForGdb(text));
}

// Runs function(first, second) to its return into abort(), where nobody else comes by; the result is in $rax. A crash
// on the way stops it too: then $tunelineFine is 0, and the registers are restored as if nothing had been.
void call(std::string &script, std::string_view function, std::string_view first, std::string_view second)
{
    const auto set = [&](std::string_view name, std::string_view value) {
        line(script, "set $" + std::string(name) + " = " + std::string(value));
    };
    set("tunelineFunction", function); // read before registers change
    line(script, "set {unsigned long}($tunelineStack - 8) = $tunelineBack");
    set("rdi", first);
    set("rsi", second);
    set("rax", "0");
    set("rsp", "$tunelineStack - 8");
    set("orig_rax", "-1"); // no system call to be restarted
    set("rip", "$tunelineFunction");
    line(script, "continue");
    set("tunelineFine", "(unsigned long)$pc == $tunelineBack && $_thread == $tunelineThread");
}

void keepRegisters(std::string &script)
{
    line(script, "set $tunelineThread = $_thread");
    line(script, "set $tunelineStack = ((unsigned long)$rsp - 16384) & ~0xfffUL");
    line(script, "set $tunelineBack = (unsigned long)&abort");
    line(script, "handle SIGSEGV SIGBUS SIGILL SIGFPE SIGABRT stop nopass");
    line(script, "break *$tunelineBack");
    for (const std::string_view reg : kGeneral)
        line(script, "set $tunelineKept_" + std::string(reg) + " = $" + std::string(reg));
}

void restoreRegisters(std::string &script)
{
    line(script, "thread $tunelineThread");
    for (const std::string_view reg : kGeneral)
        line(script, "set $" + std::string(reg) + " = $tunelineKept_" + std::string(reg));
}

void callByHand(std::string &script, const std::string &agent)
{
    line(script, "set $tunelineInside = (long)$pc - (long)&malloc");
    line(script, "if $tunelineInside < 0 || $tunelineInside > 32");
    stage(script, gdbstage::kNoSafePoint);
    line(script, "else");
    stage(script, gdbstage::kSafePoint);
    keepRegisters(script);
    place(script, "$tunelineStack", agent);
    place(script, "$tunelineStack + 4096", std::string(kEntry));
    call(script, "(unsigned long)&dlopen", "$tunelineStack", "2");
    line(script, "set $tuneline = $tunelineFine ? (unsigned long)$rax : 0");
    printTruth(script, gdbstage::kLoaded, "$tuneline != 0");
    line(script, "if $tunelineFine && $tuneline == 0");
    call(script, "(unsigned long)&dlerror", "0", "0");
    line(script, "printf \"" + std::string(gdbstage::kReason) + "%s\\n\", (char *)$rax");
    line(script, "end");
    line(script, "if $tuneline != 0");
    call(script, "(unsigned long)&dlsym", "$tuneline", "$tunelineStack + 4096");
    line(script, "if $tunelineFine && $rax != 0");
    call(script, "(unsigned long)$rax", "0", "0");
    printTruth(script, gdbstage::kStarted, "$tunelineFine && (int)$rax == 1");
    line(script, "end");
    line(script, "end");
    restoreRegisters(script);
    line(script, "end");
}

} // namespace

std::string gdbScript(GdbCalls calls, const std::filesystem::path &agent)
{
    std::string script;
    reachSafePoint(script);
    if (calls == GdbCalls::ByGdb)
        callByGdb(script, agent.string());
    else
        callByHand(script, agent.string());
    line(script, "detach");
    return script;
}

} // namespace tuneline::capture
