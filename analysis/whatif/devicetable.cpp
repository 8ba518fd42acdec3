// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/devicetable.h"

#include <array>

namespace tuneline::analysis {

namespace {

struct Row
{
    std::string_view part; // of the device's name; the first row that fits counts
    double fp32, tf32, half; // TFLOP/s
    bool bf16;
    double memory; // GB/s
    double pinned; // GB/s
    int multiprocessors;
};

// Data sheets, dense rates. Pinned bandwidth: about 80 % of the link (PCIe 3: 12, 4: 24, 5: 45 GB/s).
constexpr std::array kRows = std::to_array<Row>({
    {"GB200", 80, 1250, 2500, true, 8000, 45, 148},   {"GB300", 80, 1250, 2500, true, 8000, 45, 148},
    {"B300", 80, 1100, 2250, true, 8000, 45, 148},    {"B200", 80, 1100, 2250, true, 8000, 45, 148},
    {"H200", 67, 494, 989, true, 4800, 43, 132},      {"GH200", 67, 494, 989, true, 4000, 43, 132},
    {"H100 PCIe", 51, 378, 756, true, 2000, 43, 114}, {"H100", 67, 494, 989, true, 3350, 43, 132},
    {"H800", 67, 494, 989, true, 3350, 43, 132},      {"H20", 44, 74, 148, true, 4000, 43, 78},
    {"A100", 19.5, 156, 312, true, 1800, 24, 108},    {"A800", 19.5, 156, 312, true, 1800, 24, 108},
    {"A30", 10.3, 82, 165, true, 933, 24, 56},        {"A10G", 31, 35, 70, true, 600, 24, 80},
    {"A10", 31, 62, 125, true, 600, 24, 72},          {"A40", 37, 75, 150, true, 696, 24, 84},
    {"A6000", 39, 77, 155, true, 768, 24, 84},        {"L40", 90, 181, 362, true, 864, 24, 142},
    {"L4", 30, 60, 121, true, 300, 24, 58},           {"6000 Ada", 91, 182, 364, true, 960, 24, 142},
    {"RTX 5090", 105, 105, 210, true, 1790, 45, 170}, {"RTX 4090", 82.6, 82.6, 165, true, 1008, 24, 128},
    {"RTX 4080", 49, 49, 98, true, 717, 24, 76},      {"RTX 3090", 35.6, 35.6, 71, true, 936, 24, 82},
    {"RTX 3080", 29.8, 29.8, 60, true, 760, 24, 68},  {"V100", 15.7, 0, 125, false, 900, 12, 80},
    {"T4", 8.1, 0, 65, false, 300, 12, 40},           {"P100", 9.3, 0, 18.7, false, 732, 12, 56},
});

constexpr double kTera = 1e12, kGiga = 1e9;

DeviceRates fromRow(const Row &row)
{
    DeviceRates r;
    r.known = true;
    r.fp32 = row.fp32 * kTera;
    r.tf32 = row.tf32 * kTera;
    r.half = row.half * kTera;
    r.bf16 = row.bf16;
    r.memory = row.memory * kGiga;
    r.pinnedCopy = row.pinned * kGiga;
    r.multiprocessors = row.multiprocessors;
    return r;
}

// Per multiprocessor, from the generation: half the known cards' rates lie within 30 % of this.
DeviceRates guess(const DeviceProperties &p)
{
    const int sms = p.multiprocessors > 0 ? p.multiprocessors : 80;
    const double fp32 = 0.3 * kTera * sms;
    DeviceRates r;
    r.fp32 = fp32;
    r.bf16 = p.computeMajor >= 8;
    r.tf32 = r.bf16 ? (p.computeMajor >= 9 ? 6 : 3) * fp32 : 0;
    r.half = p.computeMajor >= 7 ? (p.computeMajor >= 9 ? 12 : 6) * fp32 : 2 * fp32;
    r.memory = (p.computeMajor >= 9 ? 3000 : 900) * kGiga;
    r.pinnedCopy = (p.computeMajor >= 9 ? 40 : p.computeMajor >= 8 ? 22 : 11) * kGiga;
    r.multiprocessors = sms;
    return r;
}

} // namespace

DeviceRates deviceRates(const DeviceProperties &properties)
{
    DeviceRates rates;
    bool found = false;
    for (const Row &row : kRows) {
        if (properties.name.find(row.part) == std::string::npos)
            continue;
        rates = fromRow(row);
        found = true;
        break;
    }
    if (!found)
        rates = guess(properties);
    rates.name = properties.name;
    rates.memoryBytes = properties.memoryBytes;
    if (properties.multiprocessors > 0)
        rates.multiprocessors = properties.multiprocessors;
    return rates;
}

} // namespace tuneline::analysis
