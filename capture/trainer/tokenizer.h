// SPDX-License-Identifier: GPL-3.0-or-later
// Byte-pair encoding: text → token ids, by merging the most useful neighbours first. Ids below 256 are bytes, the
// others merges in the order of learning. Immutable after construction, callable from any thread. No torch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tuneline::trainer {

class Tokenizer
{
public:
    using Merge = std::pair<int32_t, int32_t>;

    explicit Tokenizer(const std::vector<Merge> &merges);

    // Learns merges from words (each as often as it counts) until there are `vocab` tokens or nothing repeats.
    static std::vector<Merge> learn(const std::vector<std::string> &words, int64_t vocab);

    // Appends the ids of text. A word takes the blank before it along; no merge crosses a word.
    void encode(std::string_view text, std::vector<int64_t> &ids) const;
    std::string decode(const std::vector<int64_t> &ids) const;

private:
    void encodeWord(std::string_view word, std::vector<int64_t> &ids) const;

    std::unordered_map<uint64_t, int32_t> m_ranks; // pair → id of the merge
    std::vector<std::string> m_texts; // id → bytes
};

} // namespace tuneline::trainer
