// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/prompt_calibration.h"

#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace tailmark {

namespace {

constexpr std::size_t kWords = PromptPieces::kCount;
/// Fewer would make prompts too much alike.
constexpr std::size_t kLeastWords = 32;
constexpr int kTokenizerCalls = 600; ///< enough to look at every word alone
constexpr int kShortSample = 16;
constexpr int kLongSample = 64;
constexpr int kLongestSample = 4096;
constexpr std::uint64_t kSampleSeed = 0x5a3b;

/// The pieces at these places take the places of all others too.
PromptPieces filledWith(const std::vector<std::string>& kept, const std::string& first)
{
    PromptPieces pieces;
    pieces.first = first;
    for (std::size_t i = 0; i < kWords; ++i)
        pieces.pieces[i] = kept[i % kept.size()];
    return pieces;
}

std::string promptOf(const PromptPieces& pieces, std::size_t count, std::uint64_t where)
{
    const Corpus corpus(kSampleSeed, pieces);
    std::string text;
    corpus.appendFirst(text);
    corpus.append(text, mixBits(where), count);
    return text;
}

std::string signedText(int value)
{
    return (value > 0 ? "+" : "") + std::to_string(value);
}

class Calibrator
{
public:
    Calibrator(const PromptOracle& oracle, const CalibrationOptions& options)
        : m_oracle(oracle), m_options(options), m_reportsLeft(options.reports)
    {
    }

    Result<Calibration> run()
    {
        if (m_oracle.tokenize)
            byTokenizer();
        if (!m_cancelled && m_result.fit.method == PromptMethod::Unchecked && m_oracle.report)
            byUsage();
        if (!m_cancelled && m_oracle.reportTurns && m_result.fit.method != PromptMethod::Unchecked)
            measureTurns();
        if (m_cancelled)
            return *m_cancelled;
        return std::move(m_result);
    }

private:
    using Count = std::function<std::optional<int>(const std::string& text)>;

    void note(std::string text) { m_result.notes.push_back(std::move(text)); }

    /// No value: the answer cannot be had, or the user stopped.
    template <typename T> std::optional<T> valueOf(const Result<T>& result)
    {
        if (result)
            return result.value();
        if (result.error().code == ErrorCode::Cancelled)
            m_cancelled = result.error();
        m_lastError = result.error().line();
        return std::nullopt;
    }

    bool goOn(double done)
    {
        m_done = done;
        m_timeOver = m_timeOver || (m_options.proceed && !m_options.proceed(done));
        return !m_cancelled && !m_timeOver;
    }

    std::optional<TokenCount> tokenized(const std::string& text) { return valueOf(m_oracle.tokenize(text)); }
    std::optional<int> reported(const std::string& prompt, bool ids = false)
    {
        return m_oracle.report && mayReport() ? valueOf(m_oracle.report(prompt, ids)) : std::nullopt;
    }
    bool mayReport() { return m_reportsLeft > 0 && goOn(m_done) && m_reportsLeft-- > 0; }

    /// Fits by counts: of single words where enough of them are one token, else by the mean of all. False:
    /// nothing can be counted.
    bool fitWords(const Count& count, int calls)
    {
        const PromptPieces& words = commonWords();
        const std::optional<int> base = count(words.first);
        if (!base)
            return false;
        const auto costOf = [&](std::size_t from, std::size_t to) -> std::optional<int> {
            std::string text = words.first;
            for (std::size_t i = from; i < to; ++i)
                text += words.pieces[i];
            const std::optional<int> tokens = count(text);
            return tokens ? std::optional(*tokens - *base) : std::nullopt;
        };
        const std::optional<int> all = costOf(0, kWords);
        if (!all || *all <= 0)
            return false;

        struct Range
        {
            std::size_t from, to;
            int cost;
        };
        std::vector<Range> open = {{0, kWords, *all}};
        std::vector<bool> single(kWords, false);
        while (!open.empty()) {
            const Range range = open.back();
            open.pop_back();
            const std::size_t size = range.to - range.from;
            if (range.cost == static_cast<int>(size)) {
                std::fill_n(single.begin() + static_cast<std::ptrdiff_t>(range.from), size, true);
                continue;
            }
            if (size == 1 || calls <= 0 || !goOn(static_cast<double>(range.from) / kWords))
                continue; // left out, as nobody knows which of them costs more
            --calls;
            const std::size_t middle = range.from + size / 2;
            const std::optional<int> left = costOf(range.from, middle);
            if (!left)
                continue;
            open.push_back({middle, range.to, range.cost - *left});
            open.push_back({range.from, middle, *left});
        }

        PromptFit& fit = m_result.fit;
        fit.overheadTokens = *base;
        std::vector<std::string> kept;
        for (std::size_t i = 0; i < kWords; ++i) {
            if (single[i])
                kept.push_back(words.pieces[i]);
            else
                fit.dropped.push_back(words.pieces[i].substr(1));
        }
        if (kept.size() >= kLeastWords) {
            fit.pieces = filledWith(kept, words.first);
        } else {
            fit.dropped.clear();
            fit.tokensPerPiece = static_cast<double>(*all) / kWords;
        }
        return true;
    }

    void byTokenizer()
    {
        const Count count = [&](const std::string& text) -> std::optional<int> {
            const std::optional<TokenCount> tokens = tokenized(text);
            return tokens ? std::optional(tokens->count) : std::nullopt;
        };
        PromptFit& fit = m_result.fit;
        if (!fitWords(count, kTokenizerCalls)) {
            if (!m_cancelled)
                note("the server's tokenizer cannot be used: " + m_lastError);
            fit = {};
            return;
        }
        fit.method = PromptMethod::Tokenizer;
        sampleByTokenizer(count);
        if (m_oracle.takesTokenIds && fit.exact())
            useTokenIds();
        holdAgainstReports();
    }

    /// Prompts of the lengths to come, counted whole.
    void sampleByTokenizer(const Count& count)
    {
        const PromptFit& fit = m_result.fit;
        if (!fit.exact())
            return;
        const int longest = std::min(m_options.longestPrompt, kLongestSample);
        std::uint64_t where = 0;
        for (const int tokens : {longest / 4, longest / 2, longest}) {
            const std::size_t pieces = fit.piecesFor(tokens);
            if (!goOn(0.9))
                return;
            const std::optional<int> counted = count(promptOf(fit.pieces, pieces, ++where));
            const int expected = fit.overheadTokens + static_cast<int>(pieces);
            if (counted && *counted != expected) {
                note("a sample prompt of " + std::to_string(expected) + " tokens is " +
                     std::to_string(*counted) + " by the server's tokenizer: words influence each other");
                return;
            }
        }
    }

    /// The words' ids, in the order in which the tokenizer gives them for all of them at once.
    void useTokenIds()
    {
        PromptFit& fit = m_result.fit;
        const auto count = static_cast<std::ptrdiff_t>(kWords - fit.dropped.size());
        const std::vector<std::string> kept(fit.pieces.pieces.begin(), fit.pieces.pieces.begin() + count);
        std::string text = fit.pieces.first;
        for (const std::string& word : kept)
            text += word;
        const std::optional<TokenCount> tokens = tokenized(text);
        if (!tokens || tokens->ids.size() <= kept.size())
            return;
        const std::span<const std::int32_t> ids =
            std::span(tokens->ids).last(kept.size() + 1); // with the first word before them
        std::vector<std::string> pieces;
        for (const std::int32_t id : ids.subspan(1))
            pieces.push_back("," + std::to_string(id));
        PromptFit byIds = fit;
        byIds.method = PromptMethod::TokenIds;
        byIds.pieces = filledWith(pieces, std::to_string(ids.front()));
        byIds.overheadTokens = 1;
        const std::optional<int> told = reported(promptOf(byIds.pieces, kShortSample, 1), true);
        if (!told) {
            if (!m_cancelled && !m_timeOver)
                note("prompts as token ids were refused, text is sent instead: " + m_lastError);
            return;
        }
        fit = std::move(byIds);
    }

    /// What the server's reports have beyond our count belongs to every prompt, when it is the same at two
    /// lengths.
    void holdAgainstReports()
    {
        PromptFit& fit = m_result.fit;
        if (!m_oracle.report || !goOn(0.95))
            return;
        const bool ids = fit.method == PromptMethod::TokenIds;
        const auto difference = [&](int pieces) -> std::optional<int> {
            // An answer may fail for what it says, and not for what was asked: so another prompt is tried.
            for (std::uint64_t where = 0; where < 2; ++where) {
                const std::string prompt =
                    promptOf(fit.pieces, static_cast<std::size_t>(pieces), deriveSeed(where, pieces));
                if (const std::optional<int> told = reported(prompt, ids))
                    return static_cast<int>(std::lround(*told - fit.overheadTokens - pieces * fit.tokensPerPiece));
            }
            return std::nullopt;
        };
        const std::optional<int> atShort = difference(kShortSample);
        const std::optional<int> atLong = difference(kLongSample);
        if (!atShort || !atLong) {
            if (!m_cancelled && !m_timeOver)
                note("the server reports no prompt tokens to hold the prompts against: " + m_lastError);
            return;
        }
        if (*atShort != *atLong && fit.exact())
            note("the server reports " + signedText(*atShort) + " and " + signedText(*atLong) +
                 " prompt tokens beyond ours for a short and a longer prompt: lengths may be off");
        fit.overheadTokens += *atShort;
    }

    /// What a template adds to an answer and the question behind it belongs to every turn, when two turns cost twice
    /// what one does.
    void measureTurns()
    {
        PromptFit& fit = m_result.fit;
        const auto added = [&](int furtherTurns) -> std::optional<int> {
            for (std::uint64_t where = 0; where < 2; ++where) {
                std::vector<std::string> messages;
                for (int i = 0; i <= 2 * furtherTurns; ++i)
                    messages.push_back(promptOf(fit.pieces, kShortSample, deriveSeed(where, i, furtherTurns)));
                const double ours =
                    fit.overheadTokens + static_cast<double>(messages.size()) * kShortSample * fit.tokensPerPiece;
                const std::optional<int> told =
                    mayReport() ? valueOf(m_oracle.reportTurns(messages)) : std::nullopt;
                if (told)
                    return static_cast<int>(std::lround(*told - ours));
            }
            return std::nullopt;
        };
        const std::optional<int> one = added(1);
        const std::optional<int> two = one ? added(2) : std::nullopt;
        if (!one || !two) {
            if (!m_cancelled && !m_timeOver)
                note("the server reports no prompt tokens of a conversation: what its template adds with each turn is not "
                     "known: " +
                     m_lastError);
            return;
        }
        fit.turnTokens = std::max(0, *one);
        if (*two != 2 * *one && fit.exact())
            note("the server's template adds " + signedText(*one) + " prompt tokens with one further turn and " +
                 signedText(*two) + " with two: lengths of conversations may be off");
    }

    void byUsage()
    {
        const Count count = [&](const std::string& text) { return reported(text); };
        PromptFit& fit = m_result.fit;
        const int kept = m_oracle.reportTurns ? 10 : 6; // to look at the result
        if (!fitWords(count, m_options.reports - kept)) {
            if (!m_cancelled)
                note("the server reports no prompt tokens: prompt lengths are not checked");
            fit = {};
            return;
        }
        fit.method = PromptMethod::Usage;
        holdAgainstReports();
    }

    const PromptOracle& m_oracle;
    const CalibrationOptions& m_options;
    int m_reportsLeft;
    Calibration m_result;
    double m_done = 0;
    bool m_timeOver = false;
    std::optional<Error> m_cancelled;
    std::string m_lastError;
};

} // namespace

Result<Calibration> calibratePrompts(const PromptOracle& oracle, const CalibrationOptions& options)
{
    return Calibrator(oracle, options).run();
}

} // namespace tailmark
