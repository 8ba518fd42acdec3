// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel and operator names as people say them.
#include "ui/models/eventtext.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string>

namespace tuneline::ui {

namespace {

std::string demangled(std::string_view name)
{
    const std::string text(name);
    if (!name.starts_with("_Z"))
        return text;
    int status = 0;
    const std::unique_ptr<char, void (*)(void *)> plain(abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status),
                                                        &std::free);
    return status == 0 && plain ? std::string(plain.get()) : text;
}

void removeAll(std::string &text, std::string_view what)
{
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at))
        text.erase(at, what.size());
}

// A C++ function: template arguments, or arguments right behind a name. "step (1)" and "Memcpy DtoH (…)" are not.
bool looksLikeFunction(std::string_view text)
{
    const auto bracket = text.find_first_of("<(");
    if (bracket == std::string_view::npos || bracket == 0)
        return false;
    const bool attached = text[bracket - 1] != ' ' && text[bracket - 1] != '/';
    return attached && (text.back() == ')' || text.back() == '>' || text.back() == ']');
}

// Drops everything inside balanced angle brackets and, from the first top-level "(", the arguments.
std::string withoutArguments(std::string_view text)
{
    std::string out;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool operatorSign = out.ends_with("operator") && depth == 0;
        if (c == '<' && !operatorSign)
            ++depth;
        else if (c == '>' && depth > 0 && text[i - 1] != '-')
            --depth;
        else if (c == '(' && depth == 0 && !operatorSign)
            break;
        else if (depth == 0)
            out += c;
    }
    return out;
}

std::string lastPart(const std::string &text)
{
    const auto space = text.find_last_of(' '); // the return type ends there
    const std::string name = space == std::string::npos || space + 1 == text.size() ? text : text.substr(space + 1);
    const auto scope = name.rfind("::");
    return scope == std::string::npos || scope + 2 >= name.size() ? name : name.substr(scope + 2);
}

// "torch/nn/modules/module.py(1501): _call_impl" → "_call_impl (module.py)"
std::string pythonName(std::string_view name)
{
    const auto py = name.find(".py(");
    const auto colon = name.find("): ", py == std::string_view::npos ? 0 : py);
    if (py == std::string_view::npos || colon == std::string_view::npos)
        return {};
    const auto slash = name.rfind('/', py);
    const std::string_view file = name.substr(slash == std::string_view::npos ? 0 : slash + 1);
    return std::string(name.substr(colon + 3)) + " (" + std::string(file.substr(0, file.find('('))) + ")";
}

QString toText(const std::string &text)
{
    return QString::fromStdString(text);
}

} // namespace

QString fullName(std::string_view name)
{
    return toText(demangled(name));
}

QString shortName(std::string_view name)
{
    if (name.starts_with("Memcpy ") || name.starts_with("Memset "))
        return toText(std::string(name.substr(0, name.find(" ("))));
    if (std::string python = pythonName(name); !python.empty())
        return toText(python);
    std::string text = demangled(name);
    removeAll(text, "(anonymous namespace)::");
    if (!looksLikeFunction(text))
        return toText(text);
    if (text.starts_with("void "))
        text.erase(0, 5);
    const std::string plain = lastPart(withoutArguments(text));
    return plain.empty() ? toText(text) : toText(plain);
}

} // namespace tuneline::ui
