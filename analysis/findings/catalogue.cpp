// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/findings/catalogue.h"

#include "analysis/findings/advicetexts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tuneline::analysis {

namespace {

// The texts are part of the program: a broken one is a bug that the catalogue's test finds, so it may throw there.
CatalogueEntry parseEntry(std::string_view text)
{
    const auto json = nlohmann::json::parse(text);
    CatalogueEntry entry;
    json.at("rule").get_to(entry.rule);
    json.at("family").get_to(entry.family);
    json.at("title").get_to(entry.title);
    json.at("explanation").get_to(entry.explanation);
    json.at("fix").at("where").get_to(entry.where);
    json.at("fix").at("cpp").get_to(entry.cpp);
    json.at("fix").at("python").get_to(entry.python);
    json.at("verify").at("metric").get_to(entry.metric);
    json.at("verify").at("expect").get_to(entry.expect);
    json.at("caveats").get_to(entry.caveats);
    json.at("makes_useless").get_to(entry.makesUseless);
    return entry;
}

} // namespace

const std::vector<CatalogueEntry> &catalogue()
{
    static const std::vector<CatalogueEntry> entries = [] {
        std::vector<CatalogueEntry> list;
        for (const std::string_view text : adviceTexts())
            list.push_back(parseEntry(text));
        return list;
    }();
    return entries;
}

const CatalogueEntry *catalogueEntry(std::string_view rule)
{
    const auto &all = catalogue();
    const auto it = std::find_if(all.begin(), all.end(), [rule](const CatalogueEntry &e) { return e.rule == rule; });
    return it == all.end() ? nullptr : &*it;
}

std::string fill(std::string_view text, const Placeholders &values)
{
    std::string result;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t open = text.find('{', at);
        const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
        if (close == std::string_view::npos)
            break;
        const auto value = values.find(std::string(text.substr(open + 1, close - open - 1)));
        result += text.substr(at, open - at);
        if (value != values.end()) {
            result += value->second;
            at = close + 1;
        } else {
            result += '{'; // a brace of the code, or a name that is not known
            at = open + 1;
        }
    }
    return result += text.substr(at);
}

} // namespace tuneline::analysis
