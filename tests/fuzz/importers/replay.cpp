// SPDX-License-Identifier: GPL-3.0-or-later
// main() of a fuzz target where the compiler has no libFuzzer (the asan and tsan presets use g++): runs every file of
// the seed corpus, then damaged copies of them until the time is over. The same seed number makes the same inputs.
//   fuzz_json -max_total_time=20 FOLDER…       options of libFuzzer that it doesn't know are passed over
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace {

namespace fs = std::filesystem;

void run(const std::string &input)
{
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(input.data()), input.size());
}

std::vector<std::string> seedsOf(const std::vector<fs::path> &folders)
{
    std::vector<std::string> seeds;
    for (const fs::path &folder : folders) {
        for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
            std::ifstream file(entry.path(), std::ios::binary);
            seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        }
    }
    return seeds;
}

class Damage
{
public:
    explicit Damage(const std::vector<std::string> &seeds)
        : m_seeds(seeds)
    { }
    std::string next()
    {
        std::string input = m_seeds[below(m_seeds.size())];
        for (std::size_t changes = 1 + below(4); changes > 0 && !input.empty(); --changes)
            change(input);
        return input;
    }

private:
    std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(m_random); }
    void change(std::string &input)
    {
        const std::size_t at = below(input.size()), length = std::min(1 + below(64), input.size() - at);
        switch (below(6)) {
        case 0:
            input[at] = static_cast<char>(below(256));
            break;
        case 1:
            input.erase(at, length);
            break;
        case 2:
            input.insert(at, input.substr(below(input.size()), length));
            break;
        case 3:
            input.resize(at);
            break;
        case 4: { // a piece of another seed
            const std::string &other = m_seeds[below(m_seeds.size())];
            input.insert(at, other.empty() ? other : other.substr(below(other.size()), 64));
            break;
        }
        default:
            input[at] = "\"\\{}[],:0-9\n\xFF"[below(13)];
        }
    }

    const std::vector<std::string> &m_seeds;
    std::mt19937 m_random{1};
};

} // namespace

int main(int argc, char **argv)
{
    int seconds = 20;
    std::vector<fs::path> folders;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument.starts_with("-max_total_time="))
            seconds = std::stoi(std::string(argument.substr(16)));
        else if (!argument.starts_with('-'))
            folders.emplace_back(argument);
    }
    const std::vector<std::string> seeds = seedsOf(folders);
    if (seeds.empty()) {
        std::fputs("there is no seed\n", stderr);
        return 1;
    }
    for (const std::string &seed : seeds)
        run(seed);
    Damage damage(seeds);
    std::size_t runs = seeds.size();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    for (; std::chrono::steady_clock::now() < end; ++runs)
        run(damage.next());
    std::printf("%zu runs in %d s, nothing found\n", runs, seconds);
    return 0;
}
