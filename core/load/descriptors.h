// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tailmark {

/// Each request in flight needs a file descriptor. The last kReservedDescriptors are left to the rest of the
/// program.
inline constexpr int kReservedDescriptors = 32;

/// As many descriptors as the system lets this process have.
void raiseDescriptorLimit();
/// What is missing for so many connections at once after that, in words with the numbers; empty = nothing.
std::string missingDescriptors(int connections);

/// A non-blocking socket; −1 with errno EMFILE when none is left but the reserved ones. Any thread.
int openSocket(int family, int type, int protocol);

} // namespace tailmark
