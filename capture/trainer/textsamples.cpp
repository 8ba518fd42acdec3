// SPDX-License-Identifier: GPL-3.0-or-later
// Documents, one a line, and the merges of their tokeniser. A sample tokenises its document and takes a window of it.
#include "capture/trainer/datasetfolder.h"
#include "capture/trainer/rng.h"
#include "capture/trainer/samples.h"
#include "capture/trainer/tokenizer.h"
#include "capture/trainer/usererror.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tuneline::trainer {
namespace fs = std::filesystem;
namespace {

constexpr int kVersion = 1; // raise it when the text or the merges change
constexpr int64_t kDocuments = 1024;
constexpr size_t kLexicon = 300;
constexpr size_t kSuccessors = 6; // words that may follow a word: what the model can learn
constexpr uint64_t kTextSeed = 0x74657874;

std::string inventWord(Rng &rng)
{
    static const char *const kOnsets[] = {"b", "d", "f", "gr", "k", "l", "m", "n", "pl", "r", "s", "st", "t", "v", "z"};
    static const char *const kVowels[] = {"a", "e", "i", "o", "u", "ai", "ou"};
    std::string word = " ";
    for (uint64_t i = 0, syllables = 1 + rng.below(3); i < syllables; ++i) {
        word += kOnsets[rng.below(std::size(kOnsets))];
        word += kVowels[rng.below(std::size(kVowels))];
    }
    return word;
}

// Text in which the next word depends on the last one, the first successors being the most frequent.
class Writer
{
public:
    Writer()
        : m_rng{kTextSeed}
    {
        for (size_t i = 0; i < kLexicon; ++i)
            m_words.push_back(inventWord(m_rng));
        for (size_t i = 0; i < kLexicon * kSuccessors; ++i)
            m_next.push_back(m_rng.below(kLexicon));
    }

    const std::vector<std::string> &words() const { return m_words; }

    std::string document(size_t bytes)
    {
        std::string text;
        while (text.size() < bytes) {
            text += m_words[m_last];
            const double skewed = m_rng.unit() * m_rng.unit();
            m_last = m_next[m_last * kSuccessors + static_cast<size_t>(skewed * static_cast<double>(kSuccessors))];
        }
        return text;
    }

private:
    Rng m_rng;
    std::vector<std::string> m_words;
    std::vector<uint64_t> m_next;
    size_t m_last = 0;
};

// Characters of a document: enough for the window, however well the tokeniser merges.
size_t documentBytes(const Options &options)
{
    return static_cast<size_t>(std::max<int64_t>(4096, 12 * (options.sequence + 1)));
}

void writeAll(const fs::path &folder, const Options &options, const Progress &progress)
{
    Writer writer;
    const nlohmann::json merges = Tokenizer::learn(writer.words(), options.vocab);
    const std::string mergesText = merges.dump();
    writeFile(folder / "merges.json", mergesText.data(), mergesText.size());
    std::string text;
    for (int64_t i = 0; i < kDocuments; ++i) {
        text += writer.document(documentBytes(options)) + '\n';
        progress(i + 1, kDocuments);
    }
    writeFile(folder / "documents.txt", text.data(), text.size());
}

std::vector<Tokenizer::Merge> readMerges(const fs::path &path)
{
    try {
        return nlohmann::json::parse(readFile(path)).get<std::vector<Tokenizer::Merge>>();
    } catch (const nlohmann::json::exception &error) {
        throw UserError(ExitCode::CannotRead, path.string() + ": " + error.what());
    }
}

class TextSamples : public Samples
{
public:
    TextSamples(const fs::path &folder, const Options &options)
        : m_seed(static_cast<uint64_t>(options.knobs.seed))
        , m_tokenizer(readMerges(folder / "merges.json"))
        , m_text(readFile(folder / "documents.txt"))
        , m_documents(lines(m_text, folder))
        , m_order(m_documents.size(), m_seed)
    {
        m_shape.input = {options.sequence};
        m_shape.target = {options.sequence};
        m_shape.tokens = true;
        m_shape.units = options.sequence;
        m_shape.unit = "tokens";
        m_shape.name = folder.filename().string();
    }

    const SampleShape &shape() const override { return m_shape; }

    void read(uint64_t position, const Slot &slot) const override
    {
        std::vector<int64_t> ids;
        m_tokenizer.encode(m_documents[m_order.sampleAt(position)], ids);
        const auto length = static_cast<size_t>(m_shape.units);
        if (ids.size() <= length)
            throw UserError(ExitCode::CannotRead, m_shape.name + ": a document is shorter than a sample");
        Rng rng{m_seed, position};
        const auto first = static_cast<std::ptrdiff_t>(rng.below(ids.size() - length));
        std::copy_n(ids.begin() + first, length, slot.tokens);
        std::copy_n(ids.begin() + first + 1, length, slot.targets);
    }

private:
    static std::vector<std::string_view> lines(std::string_view text, const fs::path &folder)
    {
        std::vector<std::string_view> found;
        for (size_t from = 0, to = text.find('\n'); to != std::string_view::npos; to = text.find('\n', from)) {
            found.push_back(text.substr(from, to - from));
            from = to + 1;
        }
        if (found.empty())
            throw UserError(ExitCode::CannotRead, folder.string() + " has no documents");
        return found;
    }

    const uint64_t m_seed;
    const Tokenizer m_tokenizer;
    const std::string m_text;
    const std::vector<std::string_view> m_documents; // into m_text
    const EpochOrder m_order;
    SampleShape m_shape;
};

} // namespace

std::shared_ptr<const Samples> openText(const Options &options, bool showProgress)
{
    const std::string name = "text-v" + std::to_string(kVersion) + "-" + std::to_string(options.vocab) + "t-"
        + std::to_string(documentBytes(options));
    const auto fill = [&](const fs::path &folder, const Progress &progress) { writeAll(folder, options, progress); };
    return std::make_shared<TextSamples>(ensureFolder(datasetRoot(options.dataDirectory), name, fill, showProgress),
                                         options);
}

} // namespace tuneline::trainer
