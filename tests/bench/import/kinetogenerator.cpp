// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/import/kinetogenerator.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>
#include <zlib.h>

namespace tuneline::bench {
namespace {

constexpr std::int64_t kStart = 4'411'671'234'567'891; // ns: 16 digits, as after 51 days of uptime
constexpr int kPid = 2910249;

class Generator
{
public:
    Generator(std::ofstream &out, std::uint32_t seed)
        : m_out(out)
        , m_random(seed)
    { }
    void step();
    void head();
    void tail();
    [[nodiscard]] const Generated &made() const { return m_made; }

private:
    void layer();
    void op(const char *name, std::int64_t start, std::int64_t length, const char *dims);
    void launch(std::int64_t at);
    void memory(std::int64_t at);
    void event(const std::string &text, bool slice);
    static std::string us(std::int64_t ns);
    std::int64_t between(std::int64_t from, std::int64_t to)
    {
        return std::uniform_int_distribution<std::int64_t>(from, to)(m_random);
    }

    std::ofstream &m_out;
    std::mt19937 m_random;
    Generated m_made;
    std::int64_t m_now = kStart, m_device = kStart;
    int m_correlation = 57000, m_external = 1, m_step = 0;
    bool m_first = true;
};

std::string Generator::us(std::int64_t ns)
{
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%lld.%03lld", static_cast<long long>(ns / 1000),
                  static_cast<long long>(ns % 1000));
    return text.data();
}

void Generator::event(const std::string &text, bool slice)
{
    const std::string whole = (m_first ? "\n  {\n    " : ",\n  {\n    ") + text + "\n  }";
    m_first = false;
    m_out << whole;
    m_made.bytes += whole.size();
    m_made.slices += slice ? 1 : 0;
}

void Generator::head()
{
    m_out << "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{\"id\": 0, \"name\": \"Bench GPU\", "
             "\"totalGlobalMem\": 85899345920, \"computeMajor\": 9, "
             "\"computeMinor\": 0, \"numSms\": 132}],\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, "
             "\"world_size\": 1},\n"
             "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1711964646000000000,\n  \"traceEvents\": [";
}

void Generator::tail()
{
    m_out << ",\n  {\"name\": \"thread_name\", \"ph\": \"M\", \"ts\": 0, \"pid\": " << kPid << ", \"tid\": " << kPid
          << ", \"args\": {\"name\": \"thread (python)\"}}\n  ],\n  \"traceName\": \"bench.json\"\n}\n";
}

void Generator::op(const char *name, std::int64_t start, std::int64_t length, const char *dims)
{
    const std::string id = std::to_string(kPid);
    ++m_external;
    event("\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" + std::string(name) + "\", \"pid\": " + id
              + ", \"tid\": " + id + ",\n    \"ts\": " + us(start) + ", \"dur\": " + us(length)
              + ",\n    \"args\": {\n      \"External id\": " + std::to_string(m_external)
              + ",\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"\", \"\"], \"Input type\": "
                "[\"c10::BFloat16\", \"c10::BFloat16\", \"\"], \"Input Strides\": [[1024, 1], [1, 1024], "
                "[]], \"Input Dims\": "
              + dims + ", \"Ev Idx\": " + std::to_string(m_external) + "\n    }",
          true);
}

void Generator::launch(std::int64_t at)
{
    static constexpr std::array kKernels{
        "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
        "at::detail::Array<char*, 3> >(int, "
        "at::native::CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, 3>)",
        "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, "
        "c10::BFloat16 const*)"};
    const std::string id = std::to_string(kPid), correlation = std::to_string(++m_correlation),
                      external = std::to_string(m_external);
    const std::int64_t length = between(1500, 60000);
    m_device = std::max(m_device + 300, at + 4000);
    event("\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": " + id
              + ", \"tid\": " + id + ",\n    \"ts\": " + us(at) + ", \"dur\": " + us(between(2000, 6000))
              + ",\n    \"args\": {\n      \"External id\": " + external
              + ",\"cbid\": 211, \"correlation\": " + correlation + "\n    }",
          true);
    event("\"ph\": \"s\", \"id\": " + correlation + ", \"pid\": " + id + ", \"tid\": " + id + ", \"ts\": " + us(at)
              + ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"",
          false);
    event("\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \""
              + std::string(kKernels[static_cast<std::size_t>(between(0, 2))])
              + "\", \"pid\": 0, \"tid\": 7,\n    \"ts\": " + us(m_device) + ", \"dur\": " + us(length)
              + ",\n    \"args\": {\n      \"External id\": " + external
              + ",\"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": 7, \"correlation\": " + correlation
              + ",\n      \"registers per thread\": 230, \"shared memory\": 98304,\n      \"blocks per SM\": 3.878788, "
                "\"warps per SM\": 15.515152,\n      \"grid\": [64, 8, 1],\n      "
                "\"block\": [128, 1, 1],\n      \"est. achieved occupancy %\": 12\n    }",
          true);
    event("\"ph\": \"f\", \"id\": " + correlation + ", \"pid\": 0, \"tid\": 7, \"ts\": " + us(m_device)
              + ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"",
          false);
    ++m_made.kernels;
    m_device += length;
}

void Generator::memory(std::int64_t at)
{
    const std::string id = std::to_string(kPid);
    event("\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\",\n    \"pid\": " + id
              + ", \"tid\": " + id + ",\n    \"ts\": " + us(at)
              + ",\n    \"args\": {\n      \"Total Reserved\": 12782141440, \"Total Allocated\": 5000000000, "
                "\"Bytes\": 33554432, \"Device Id\": 0, \"Device Type\": 1, \"Addr\": 139831418028032\n    }",
          false);
}

void Generator::layer()
{
    const std::int64_t begin = m_now;
    const std::int64_t length = between(80000, 160000);
    op("aten::linear", begin, length, "[[8, 1024, 1024], [4096, 1024], [4096]]");
    op("aten::matmul", begin + 3001, length - 6000, "[[8, 1024, 1024], [1024, 4096]]");
    op("aten::mm", begin + 8002, length - 20000, "[[8192, 1024], [1024, 4096]]");
    launch(begin + 20003);
    op("aten::add_", begin + length - 11000, 7000, "[[8192, 4096], [4096]]");
    launch(begin + length - 9000);
    memory(begin + 12004);
    m_now += length + between(1000, 9000);
}

void Generator::step()
{
    const std::int64_t begin = m_now;
    for (int i = 0; i < 300; ++i)
        layer();
    const std::string id = std::to_string(kPid);
    event("\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#" + std::to_string(m_step++)
              + "\", \"pid\": " + id + ", \"tid\": " + id + ",\n    \"ts\": " + us(begin)
              + ", \"dur\": " + us(m_now - begin)
              + ",\n    \"args\": {\n      \"External id\": " + std::to_string(m_external++) + "\n    }",
          true);
}

} // namespace

Generated writeKineto(const std::filesystem::path &path, std::uint64_t bytes, std::uint32_t seed)
{
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    Generator generator(out, seed);
    generator.head();
    while (generator.made().bytes < bytes)
        generator.step();
    generator.tail();
    out.close();
    Generated made = generator.made();
    made.bytes = std::filesystem::file_size(path);
    return made;
}

void gzipFile(const std::filesystem::path &from, const std::filesystem::path &to)
{
    std::ifstream in(from, std::ios::binary);
    const gzFile out = gzopen(to.c_str(), "wb6");
    std::vector<char> piece(1U << 20U);
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0)
        gzwrite(out, piece.data(), static_cast<unsigned>(in.gcount()));
    gzclose(out);
}

} // namespace tuneline::bench
