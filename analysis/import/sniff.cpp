// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/sniff.h"

#include "analysis/import/textencoding.h"
#include "capture/format/frames.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tuneline::analysis {
namespace {

using namespace std::string_view_literals;

struct Signature
{
    std::string_view bytes;
    std::string_view advice;
};

constexpr std::array kSignatures{
    Signature{
        "PK\x03\x04"sv,
        "This is a zip archive (a PyTorch checkpoint, perhaps), not a trace; unpack it, or open the .json or .json.gz that the profiler wrote."sv},
    Signature{
        "\x80\x02"sv,
        "This is a Python pickle (an old PyTorch checkpoint, perhaps), not a trace; open the .json that the profiler wrote."sv},
    Signature{"\x7F"
              "ELF"sv,
              "This is a program or library; to profile it, use \"Launch\" or tuneline-cli record -- PROGRAM."sv},
    Signature{
        "QuadDCommon"sv,
        "This is an Nsight Systems report; export it first: nsys export --type sqlite FILE.nsys-rep, then open the .sqlite file."sv},
    Signature{"version https://git-lfs"sv,
              "This is a git-lfs pointer, not the file itself; fetch it with: git lfs pull."sv},
    Signature{
        "<!DOCTYPE"sv,
        "This is a web page, not a trace; a download may have saved an error or log-in page instead of the file."sv},
    Signature{
        "<!doctype"sv,
        "This is a web page, not a trace; a download may have saved an error or log-in page instead of the file."sv},
    Signature{
        "<html"sv,
        "This is a web page, not a trace; a download may have saved an error or log-in page instead of the file."sv},
    Signature{
        "<HTML"sv,
        "This is a web page, not a trace; a download may have saved an error or log-in page instead of the file."sv},
    Signature{"<?xml"sv, "This is XML, not a trace; open a .json, .json.gz, .sqlite or .tlc file."sv},
    Signature{"%PDF"sv, "This is a PDF document, not a trace."sv},
    Signature{"\x89PNG"sv, "This is a picture, not a trace."sv},
    Signature{"\xFF\xD8\xFF"sv, "This is a picture, not a trace."sv},
    Signature{"\x28\xB5\x2F\xFD"sv, "This is compressed with zstd; unpack it first: zstd -d FILE."sv},
    Signature{"\xFD"
              "7zXZ"sv,
              "This is compressed with xz; unpack it first: unxz FILE."sv},
    Signature{"BZh"sv, "This is compressed with bzip2; unpack it first: bunzip2 FILE."sv},
    Signature{"7z\xBC\xAF"sv, "This is a 7-Zip archive; unpack it first."sv},
    Signature{
        "PAR1"sv,
        "This is a Parquet table; from an Nsight Systems report, export SQLite instead: nsys export --type sqlite."sv},
    Signature{
        "\x89HDF"sv,
        "This is an HDF5 file; from an Nsight Systems report, export SQLite instead: nsys export --type sqlite."sv},
    Signature{"NVR"sv, "This is an Nsight Compute report, about single kernels; open a trace of a whole run."sv},
    Signature{"PERFILE2"sv, "This is Linux perf data, not a trace of a training run."sv},
    Signature{"\x1F\x8B"sv, "This was compressed twice; unpack it once (gunzip FILE), then open what comes of it."sv},
    Signature{"\x78\x9C"sv, "This is compressed with zlib without gzip's header; unpack it first: pigz -dz < FILE."sv},
    Signature{"\x78\x01"sv, "This is compressed with zlib without gzip's header; unpack it first: pigz -dz < FILE."sv},
    Signature{"\x78\xDA"sv, "This is compressed with zlib without gzip's header; unpack it first: pigz -dz < FILE."sv},
    Signature{"#!"sv, "This is a script; to profile it, use \"Launch\" or tuneline-cli record -- PROGRAM."sv},
};

// A log line or two may stand before the document.
bool holdsEventList(std::string_view text)
{
    const std::size_t bracket = text.find_first_of("{[");
    return bracket != std::string_view::npos
        && (text.find("\"traceEvents\"", bracket) != std::string_view::npos
            || (text.find("\"ph\"", bracket) != std::string_view::npos
                && text.find("\"ts\"", bracket) != std::string_view::npos));
}

bool looksLikeProtobufTrace(std::string_view head)
{
    // Perfetto: field 1, length-delimited, of a packet that begins with a small field number.
    return head.size() > 4 && head[0] == '\x0A' && static_cast<unsigned char>(head[1]) < 0xC0
        && std::count(head.begin(), head.end(), '\0') > 4;
}

std::string_view strip(std::string_view text)
{
    const std::size_t from = text.find_first_not_of(" \t\r\n");
    return from == std::string_view::npos ? std::string_view() : text.substr(from);
}

std::string otherAdvice(std::string_view head, const std::filesystem::path &path)
{
    const std::string_view text = strip(head);
    for (const Signature &signature : kSignatures) {
        if (head.starts_with(signature.bytes) || text.starts_with(signature.bytes))
            return std::string(signature.advice);
    }
    if (head.size() > 262 && head.substr(257, 5) == "ustar"sv)
        return "This is a tar archive; unpack it first: tar xf FILE.";
    if (path.extension() == ".nsys-rep" || path.extension() == ".qdrep")
        return "This is an Nsight Systems report; export it first: nsys export --type sqlite FILE, then open the "
               ".sqlite file.";
    if (path.filename().string().find(".tfevents.") != std::string::npos)
        return "This is a TensorBoard event file; the profiler's traces lie beside it as *.pt.trace.json(.gz): open "
               "one of those.";
    if (looksLikeProtobufTrace(head))
        return "This is a binary protocol-buffer file (a Perfetto or JAX trace, perhaps), which can't be read here; "
               "save the trace as JSON.";
    const bool readable = std::all_of(head.begin(), head.end(), [](char c) {
        return static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t';
    });
    return std::string(readable ? "This is a text file without trace events"
                                : "This is a binary file of a kind that is not known here")
        + "; Tuneline opens captures (.tlc), Kineto or Chrome traces (.json, .json.gz) and Nsight Systems exports "
          "(.sqlite).";
}

} // namespace

Sniffed sniff(std::string_view head, const std::filesystem::path &path)
{
    if (head.empty())
        return {
            FileKind::Other,
            "The file is empty; the program that wrote it was stopped before it wrote anything, or the disk was full."};
    if (head.size() >= format::kMagic.size()
        && std::memcmp(head.data(), format::kMagic.data(), format::kMagic.size()) == 0)
        return {FileKind::Capture, {}};
    if (head.starts_with("SQLite format 3\0"sv))
        return {FileKind::Sqlite, {}};
    if (foreignEncoding(head))
        return {FileKind::Json, {}};
    std::string_view text = head;
    while (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    text = strip(text);
    if (text.empty())
        return {FileKind::Other,
                "The file holds nothing but white space; the program that wrote it was stopped too early."};
    if (text.starts_with("{'") || text.starts_with("[{'"))
        return {FileKind::Other,
                "This is how Python prints a dictionary, not JSON; write the trace with json.dump(trace, file)."};
    if (text[0] == '{' || text[0] == '[')
        return {FileKind::Json, {}};
    std::string advice = otherAdvice(head, path);
    const bool known = advice.find("text file without trace events") == std::string::npos;
    return !known && holdsEventList(text) ? Sniffed{FileKind::Json, {}} : Sniffed{FileKind::Other, std::move(advice)};
}

} // namespace tuneline::analysis
