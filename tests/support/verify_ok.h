// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtTest>

/// Ends the test with the error's line where a Result or Status is an error.
#define VERIFY_OK(expression)                                                                                \
    do {                                                                                                     \
        const auto& status = (expression);                                                                   \
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().line().c_str());                             \
    } while (false)
