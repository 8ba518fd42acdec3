// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/htmlpage.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tuneline::analysis {
namespace {

// Colours are named by what they stand for; c-… are those of the pictures.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --page: #f3f5f7; --card: #ffffff; --text: #1b2129; --muted: #5a6674; --line: #d5dbe2;
  --soft: #e9edf1; --accent: #1f5fc4; --good: #17744a; --goodsoft: #e0f3e9; --warn: #8a5a00; --warnsoft: #fdf1d8;
  --bad: #b3261e; --badsoft: #fbe6e4; --code: #f1f3f6; --on: #ffffff;
  --c-compute: #3f8f68; --c-copy: #b98319; --c-comm: #7a5cc0; --c-input: #d0603a; --c-sync: #b8437b; --c-alloc: #8c6d3f;
  --c-compile: #5b7f95; --c-checkpoint: #6d7f2f; --c-ops: #3b74c4; --c-code: #2f9aa8; --c-launch: #7c8fd0;
  --c-wait: #96a0ab; --c-unknown: #b7bec7; --c-api: #7c8fd0; --c-range: #9fb4cf; --c-python: #c9a227; --c-set: #a98f5a; }
@media (prefers-color-scheme: dark) { :root { --page: #14171b; --card: #1e2228; --text: #dfe4ea; --muted: #98a3b0;
  --line: #363d46; --soft: #2a3038; --accent: #74aaf7; --good: #63c797; --goodsoft: #1b3529; --warn: #e3b15a;
  --warnsoft: #3a2f17; --bad: #f08b84; --badsoft: #44211f; --code: #15181c; --on: #101318;
  --c-compute: #4fa37a; --c-copy: #d5a140; --c-comm: #a58ae6; --c-input: #e88563; --c-sync: #dd77a6; --c-alloc: #b8986a;
  --c-compile: #86a9bd; --c-checkpoint: #a0b158; --c-ops: #6d9fe4; --c-code: #5bbfcb; --c-launch: #a3b1e6;
  --c-wait: #7b8591; --c-unknown: #59626d; --c-api: #a3b1e6; --c-range: #61789a; --c-python: #d9ba55; --c-set: #c9b07c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 20px 48px; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 34px 0 10px; } h3 { font-size: 16px; margin: 0 0 6px; }
p { margin: 6px 0; } .muted { color: var(--muted); } .break { overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; margin: 10px 0; }
.banner { border-radius: 8px; padding: 10px 14px; margin: 14px 0; border: 1px solid; }
.banner.good { background: var(--goodsoft); border-color: var(--good); }
.banner.warn { background: var(--warnsoft); border-color: var(--warn); }
.banner.bad { background: var(--badsoft); border-color: var(--bad); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px; margin: 14px 0; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
.figures b { display: block; font-size: 20px; font-weight: 600; } .figures span { color: var(--muted); font-size: 13px; }
svg { display: block; width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--text); }
svg text.in { fill: var(--on); } svg text.faint { fill: var(--muted); }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th { text-align: left; color: var(--muted); font-weight: 600; border-bottom: 1px solid var(--line); padding: 4px 8px; }
td { padding: 4px 8px; border-bottom: 1px solid var(--soft); vertical-align: top; overflow-wrap: anywhere; }
th.n, td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.key { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 7px; }
.tag { font-size: 12px; color: var(--muted); border: 1px solid var(--line); border-radius: 10px; padding: 0 8px; }
.tag.risk { color: var(--bad); border-color: var(--bad); }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 6px; padding: 10px; overflow-x: auto;
  font: 12.5px/1.45 ui-monospace, monospace; margin: 6px 0; }
details { margin: 6px 0; } summary { cursor: pointer; color: var(--accent); }
ul { margin: 6px 0; padding-left: 20px; } .scroll { overflow-x: auto; }
@media print { body { background: none; } .card { break-inside: avoid; } }
)";

bool isPlain(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F;
    });
}

std::string validUtf8(std::string_view text)
{
    if (isPlain(text))
        return std::string(text);
    using nlohmann::json;
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

} // namespace

std::string htmlText(std::string_view text)
{
    std::string out;
    for (const char c : validUtf8(text)) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F)
                out += "\xEF\xBF\xBD";
            else
                out += c;
        }
    }
    return out;
}

std::string htmlPage(std::string_view title, std::string_view body)
{
    // The policy forbids whatever a damaged escape could still ask for: scripts and anything from outside.
    std::string page = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="generator" content="Tuneline"/>
<title>)";
    page.append(htmlText(title))
        .append("</title>\n<style>")
        .append(kStyle)
        .append("</style>\n</head>\n<body>\n<main>\n");
    page.append(body).append("</main>\n</body>\n</html>\n");
    return page;
}

std::string htmlTable(const std::vector<HtmlColumn> &columns, const std::vector<std::vector<std::string>> &rows)
{
    if (rows.empty())
        return {};
    const auto open = [](const char *tag, bool number) {
        return std::string("<") + tag + (number ? " class=\"n\">" : ">");
    };
    std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
    for (const HtmlColumn &column : columns)
        out += open("th", column.number) + htmlText(column.title) + "</th>";
    out += "</tr></thead>\n<tbody>\n";
    for (const std::vector<std::string> &row : rows) {
        out += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i)
            out += open("td", columns[i].number) + row[i] + "</td>";
        out += "</tr>\n";
    }
    return out + "</tbody>\n</table></div>\n";
}

} // namespace tuneline::analysis
