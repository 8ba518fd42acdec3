// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/metadata.h"

#include "capture/session/runcommand.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

namespace tuneline::capture {

namespace {

constexpr std::chrono::milliseconds kGitLimit{2000};

std::string firstLine(const std::string &text)
{
    return text.substr(0, text.find('\n'));
}

std::optional<double> pricePerHour()
{
    const char *text = std::getenv("TUNELINE_PRICE_PER_HOUR");
    if (text == nullptr)
        return std::nullopt;
    double price = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), price);
    return error == std::errc() && *end == '\0' && price >= 0 ? std::optional(price) : std::nullopt;
}

// Arguments are bytes and may be no UTF-8, which JSON can't hold.
std::string dump(const nlohmann::json &document)
{
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

std::optional<Revision> gitRevision(const std::filesystem::path &folder)
{
    // No index lock: somebody may be working in that repository right now.
    const std::vector<std::string> git{"git", "--no-optional-locks", "-C", folder.string()};
    auto head = git, status = git;
    head.insert(head.end(), {"rev-parse", "--verify", "HEAD"});
    status.insert(status.end(), {"status", "--porcelain", "--untracked-files=no"});
    const auto id = runCommand(head, kGitLimit);
    if (folder.empty() || id.exitCode != 0 || firstLine(id.output).empty())
        return std::nullopt;
    const auto changes = runCommand(status, kGitLimit);
    return Revision{firstLine(id.output), changes.exitCode == 0 && !changes.output.empty()};
}

std::string sessionMetadata(const std::vector<std::string> &commandLine, const std::optional<Revision> &revision,
                            std::size_t limit)
{
    nlohmann::json document{{"tuneline_version", TUNELINE_VERSION}};
    if (revision)
        document.update({{"git_revision", revision->id}, {"git_changed", revision->changed}});
    if (const auto price = pricePerHour())
        document["price_per_hour"] = *price;
    document["command_line"] = commandLine;
    if (dump(document).size() > limit) {
        document.erase("command_line"); // the agent writes its own, without a limit
        document["command_line_left_out"] = true;
    }
    return dump(document);
}

} // namespace tuneline::capture
