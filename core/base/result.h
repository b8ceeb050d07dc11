// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tailmark {

/// Why an operation of ours failed. The command line turns the code into its exit code.
enum class ErrorCode {
    BadInput,    ///< a file, key or argument of the user is wrong (exit code 2)
    Unreachable, ///< the target cannot be reached or refuses (exit code 3)
    Io,          ///< reading or writing a file or the store failed (exit code 1)
    Cancelled,   ///< the user stopped it
    Internal,    ///< a fault of ours (exit code 1)
};

/// One clear line: where (file, line or key path), what is wrong, what is allowed.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string where;   ///< file, file:line, key path or URL; may be empty
    std::string message; ///< what is wrong and what is allowed; no final full stop, no line break

    std::string line() const { return where.empty() ? message : where + ": " + message; }
};

struct Unit {};

/// A value or the reason why there is none. Never throws; `value()` on an error is a programming mistake.
template <typename T>
class [[nodiscard]] Result
{
public:
    Result(T value) : m_state(std::move(value)) {}
    Result(Error error) : m_state(std::move(error)) {}

    bool ok() const { return std::holds_alternative<T>(m_state); }
    explicit operator bool() const { return ok(); }

    T& value() & { return std::get<T>(m_state); }
    const T& value() const& { return std::get<T>(m_state); }
    T value() && { return std::get<T>(std::move(m_state)); } // by value: `for (x : f().value().list)` is safe
    const Error& error() const { return std::get<Error>(m_state); }

private:
    std::variant<T, Error> m_state;
};

using Status = Result<Unit>;

inline Status success()
{
    return Unit{};
}

} // namespace tailmark
