// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "workload/image_part.h"
#include "workload/prompt.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

/// One kind of request of a workload: all alike, or those of a variant.
struct SentFields
{
    double weight = 1;             ///< among the kinds
    std::string model;             ///< may be empty
    nlohmann::ordered_json fields; ///< what does not change from request to request; without model
    bool minTokens = false;        ///< min_tokens is sent as well, the output length of each
};
/// What each kind of request carries beside its prompt, its pictures and its output length. Later ones win: what the
/// user gives for this workload over ours, of that what they give for a variant, then `rowFields`, and what they give
/// for this target over all.
std::vector<SentFields> sentFields(const Matrix& matrix, const BodyOptions& options,
                                         const nlohmann::json& ownFields = nlohmann::json::object(),
                                         const nlohmann::json& rowFields = nlohmann::json::object());

/// The JSON bodies of a point's requests with everything that does not change from request to request made
/// once. What does change: the prompt, the output length, which of the workload's variants it is, and its
/// pictures; the latter two by the request's own number, so that the same seed gives the same requests.
/// Nothing is allocated once a body has grown.
class RequestBody
{
public:
    /// A picture's file that cannot be read gives requests without it; see checkFiles(). `ownFields`: further
    /// members, which the user's win over. `rowFields`: what rows of a file give, which win over the workload's
    /// extras.
    RequestBody(const Matrix& matrix, const BodyOptions& options,
                const nlohmann::json& ownFields = nlohmann::json::object(),
                const nlohmann::json& rowFields = nlohmann::json::object());

    /// Error: the file of pictures that the workload names cannot be used.
    static Status checkFiles(const Matrix& matrix);

    /// Up to where the prompt goes: a text that needs no JSON escape, or numbers with commas between them where
    /// prompts are token ids. `number` is the request's own, any 64 bits.
    void begin(std::string& body, std::uint64_t number = 0) const;
    /// In a chat, between two parts of the prompt: ends a message and opens the next one.
    void nextMessage(std::string& body, std::string_view role) const;
    /// From behind the prompt to the end; with the same number.
    void end(std::string& body, std::int32_t outputTokens, std::uint64_t number = 0) const;

    /// Answers that each request asks for.
    int choices() const { return m_choices; }

private:
    struct Kind
    {
        double share = 1;        ///< of the requests: this kind's and those of the kinds before it, 0..1
        std::string head;        ///< {"model":"m","messages":[{"role":"user","content":"
        std::string afterPrompt; ///< "}],
        std::string members;     ///< "stream":true,…,"max_tokens":
        std::string minTokens;   ///< ,"min_tokens": or empty
    };
    const Kind& kindOf(std::uint64_t number) const;

    std::vector<Kind> m_kinds; ///< one, or one for each variant
    int m_choices = 1;
    int m_images = 0;       ///< of each request
    std::string m_imageUrl; ///< of the file; empty = pictures are made
    std::shared_ptr<const TestImages> m_made;
};

} // namespace tailmark
