// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tailmark::test {

/// How servers refuse a field, and what that means. In a file of its own, since Qt's moc counts the braces in raw
/// strings of the files that it reads.
struct RefusalWording
{
    const char* name;
    const char* refusal;
    const char* field;
    bool asUnknown;
};

inline constexpr RefusalWording kRefusalWordings[] = {
    {"pydantic list",
     R"({"detail":[{"type":"extra_forbidden","loc":["body","top_k"],"msg":"Extra inputs are not permitted","input":5}]})",
     "top_k", true},
    {"pydantic member",
     R"({"detail":[{"type":"extra_forbidden","loc":["body","stream_options","continuous_usage_stats"],"msg":"Extra inputs are not permitted"}]})",
     "stream_options.continuous_usage_stats", true},
    {"pydantic deeper than we know",
     R"({"detail":[{"type":"bool_type","loc":["body","stream_options","other"],"msg":"Input should be a boolean"}]})",
     "stream_options", false},
    {"pydantic printed",
     R"({"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'ignore_eos'), 'msg': 'Extra inputs are not permitted', 'input': True}]","param":null,"code":400})",
     "ignore_eos", true},
    {"unrecognized",
     R"({"error":{"message":"Unrecognized request argument supplied: top_k","type":"invalid_request_error","param":null,"code":null}})",
     "top_k", true},
    {"param",
     R"({"error":{"message":"This value is not good.","param":"seed","code":"invalid_value"}})",
     "seed", false},
    {"instead",
     R"({"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}})",
     "max_tokens", true},
    {"does not support",
     R"({"error":{"message":"litellm.UnsupportedParamsError: openai does not support parameters: ['top_k'], for model=m","code":"400"}})",
     "top_k", true},
    {"plain text",
     "Unknown field: min_tokens",
     "min_tokens", true},
    {"too long",
     R"({"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 4096 tokens","param":"max_tokens"}})",
     "max_tokens", false},
    {"part of another word",
     R"({"error":{"message":"unknown field seeds and my_top_k"}})",
     "", true},
    {"nothing named",
     R"({"error":{"message":"The model is asleep."}})",
     "", false},
    {"no body",
     "",
     "", false},
};

} // namespace tailmark::test
