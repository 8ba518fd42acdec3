// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/tokenizer.h"

#include <algorithm>
#include <map>

namespace tuneline::trainer {
namespace {

constexpr int32_t kBytes = 256;

uint64_t keyOf(int32_t left, int32_t right)
{
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

std::vector<int32_t> bytesOf(std::string_view word)
{
    std::vector<int32_t> ids;
    ids.reserve(word.size());
    for (char c : word)
        ids.push_back(static_cast<unsigned char>(c));
    return ids;
}

// Replaces every left, right by merged.
void mergeAll(std::vector<int32_t> &ids, Tokenizer::Merge merge, int32_t merged)
{
    size_t to = 0;
    for (size_t from = 0; from < ids.size(); ++from) {
        const bool hit = from + 1 < ids.size() && ids[from] == merge.first && ids[from + 1] == merge.second;
        ids[to++] = hit ? merged : ids[from];
        from += hit ? 1 : 0;
    }
    ids.resize(to);
}

} // namespace

Tokenizer::Tokenizer(const std::vector<Merge> &merges)
{
    m_texts.reserve(kBytes + merges.size());
    for (int32_t i = 0; i < kBytes; ++i)
        m_texts.emplace_back(1, static_cast<char>(i));
    for (const Merge &merge : merges) {
        m_ranks.emplace(keyOf(merge.first, merge.second), static_cast<int32_t>(m_texts.size()));
        m_texts.push_back(m_texts.at(static_cast<size_t>(merge.first)) + m_texts.at(static_cast<size_t>(merge.second)));
    }
}

std::vector<Tokenizer::Merge> Tokenizer::learn(const std::vector<std::string> &words, int64_t vocab)
{
    std::map<std::string, int64_t> counts;
    for (const std::string &word : words)
        ++counts[word];
    std::vector<std::pair<std::vector<int32_t>, int64_t>> pieces;
    for (const auto &[word, count] : counts)
        pieces.emplace_back(bytesOf(word), count);
    std::vector<Merge> merges;
    while (kBytes + static_cast<int64_t>(merges.size()) < vocab) {
        std::map<Merge, int64_t> pairs;
        for (const auto &[ids, count] : pieces) {
            for (size_t i = 0; i + 1 < ids.size(); ++i)
                pairs[{ids[i], ids[i + 1]}] += count;
        }
        const auto best = std::max_element(pairs.begin(), pairs.end(),
                                           [](const auto &a, const auto &b) { return a.second < b.second; });
        if (best == pairs.end() || best->second < 2)
            break;
        for (auto &piece : pieces)
            mergeAll(piece.first, best->first, kBytes + static_cast<int32_t>(merges.size()));
        merges.push_back(best->first);
    }
    return merges;
}

void Tokenizer::encodeWord(std::string_view word, std::vector<int64_t> &ids) const
{
    std::vector<int32_t> pieces = bytesOf(word);
    for (;;) {
        int32_t best = INT32_MAX; // the earliest merge among all neighbours
        for (size_t i = 0; i + 1 < pieces.size(); ++i) {
            const auto rank = m_ranks.find(keyOf(pieces[i], pieces[i + 1]));
            if (rank != m_ranks.end())
                best = std::min(best, rank->second);
        }
        if (best == INT32_MAX)
            break;
        for (size_t i = 0; i + 1 < pieces.size(); ++i) {
            const auto rank = m_ranks.find(keyOf(pieces[i], pieces[i + 1]));
            if (rank != m_ranks.end() && rank->second == best) {
                mergeAll(pieces, {pieces[i], pieces[i + 1]}, best);
                break;
            }
        }
    }
    ids.insert(ids.end(), pieces.begin(), pieces.end());
}

void Tokenizer::encode(std::string_view text, std::vector<int64_t> &ids) const
{
    size_t from = 0;
    while (from < text.size()) {
        const size_t next = text.find(' ', from + 1);
        const size_t to = next == std::string_view::npos ? text.size() : next;
        encodeWord(text.substr(from, to - from), ids);
        from = to;
    }
}

std::string Tokenizer::decode(const std::vector<int64_t> &ids) const
{
    std::string text;
    for (int64_t id : ids)
        text += m_texts.at(static_cast<size_t>(id));
    return text;
}

} // namespace tuneline::trainer
