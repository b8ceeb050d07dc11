// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtTest>

// QTRY_VERIFY and QTRY_COMPARE give up after 5 s, which a busy machine or a sanitizer can make too short.
// These wait as long as a test may last: a condition that never comes is the failure, not one that comes
// late.
#define TRY_VERIFY(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, 60'000)
#define TRY_VERIFY2(condition, text) QTRY_VERIFY2_WITH_TIMEOUT(condition, text, 60'000)
#define TRY_COMPARE(actual, expected) QTRY_COMPARE_WITH_TIMEOUT(actual, expected, 60'000)
