// SPDX-License-Identifier: GPL-3.0-or-later
#include "exit_code.h"

#include "output.h"

#include <cstdio>

namespace tailmark::cli {

ExitCode fail(const Error& error)
{
    std::fprintf(stderr, "tailmark-cli: %s\n", oneLine(error.line()).c_str());
    switch (error.code) {
    case ErrorCode::BadInput:
        return kBadInput;
    case ErrorCode::Unreachable:
        return kUnreachable;
    case ErrorCode::Cancelled:
        return kNothingValid;
    case ErrorCode::Io:
    case ErrorCode::Internal:
        break;
    }
    return kFault;
}

} // namespace tailmark::cli
