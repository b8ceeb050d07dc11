// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

/// Pictures that each request carries beside its text.
struct Images
{
    int count = 1;
    int widthPx = 512;
    int heightPx = 512;
    std::string file; ///< this one in every request; empty = made here, another one in each
};

/// One kind of request among several, drawn by its weight.
struct Variant
{
    double weight = 1;
    nlohmann::json fields = nlohmann::json::object(); ///< of the request, `model` included
};

/// What requests ask for beyond plain text: `workload.extras` read. Its keys are described in matrix_keys.h;
/// a key that is none of ours is a field of the request and sent as it is.
struct RequestExtras
{
    int choices = 1; ///< `n`
    std::int64_t priority = 0;
    std::string cacheSalt;
    nlohmann::json responseFormat = nlohmann::json::object();
    Images images;
    bool hasImages = false;
    std::vector<Variant> variants; ///< none = all requests alike
    /// What is sent with every request: the given fields, those above included but for images and variants.
    nlohmann::json fields = nlohmann::json::object();
};

/// Error (BadInput): the first wrong type or unknown key, by its path below `path`. Values are checked by
/// validate().
Result<RequestExtras> readExtras(const nlohmann::json& extras, const std::string& path = "workload.extras");

/// What is wrong with fields of a request under the given API: a field that only requests of the other one have
/// (OpenAI's reference and the engines' additions to it), or one that has another type there. By its path below `path`.
/// A field that we do not know may be sent with either. `apiKey`: the key that chooses the API.
std::optional<Error> otherApisField(const nlohmann::json& fields, Api api, const std::string& path,
                                    const std::string& apiKey = "target.api");

/// Leaves of `extras` what one plain answer to a text can have: for requests that look at the target before a
/// load. What a picture costs in tokens is not known by then, and a variant may ask for another model.
void keepOneTextAnswer(nlohmann::json& extras);

} // namespace tailmark
