// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/fields.h"

#include <string_view>
#include <vector>

namespace tailmark {

// What is known of the names in logs, as data: a new format of flat records is a new entry here.

struct FieldName
{
    Field field;
    std::string_view folded;
    bool needed = false;
};

/// A format of flat records. The first in the table whose needed names are all there is the one.
struct FlatFormat
{
    std::string_view id;
    std::string_view lookedFor;
    std::vector<FieldName> names;
    TimeUnit timestampUnit = TimeUnit::Seconds, thinkUnit = TimeUnit::Seconds;
    int blockSize = 0;
    bool wholeBlocksOnly = false, idsOfSession = false, sessionClock = false, timestampOptional = false;
};

const std::vector<FlatFormat>& flatFormats();
/// Formats whose records hold the prompt itself: after the guess by names, so that a log with texts and token
/// counts is read by its counts.
const std::vector<FlatFormat>& textFormats();

/// Names that logs have for a field, the most telling first: proxies and libraries (LiteLLM, Langfuse,
/// Helicone, OpenAI's usage objects, OpenTelemetry) and plain tables. A name matches as a whole or behind a
/// dot.
struct FieldAliases
{
    Field field;
    std::vector<std::string_view> names;
};

const std::vector<FieldAliases>& aliases();
/// Of texts, for logs without token counts.
const std::vector<FieldAliases>& textAliases();

} // namespace tailmark
