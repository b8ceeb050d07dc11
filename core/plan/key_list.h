// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// A key of the matrix file, as a reader of its help wants to know it.
struct MatrixKey
{
    std::string path;     ///< "workload.prefix.share"; "tests[].levels" of every entry of a list
    std::string allowed;  ///< in words
    std::string fallback; ///< the default as the file would have it; empty for an object
    std::string with;     ///< when the key is there: "kind \"trace\" or \"empirical\""; empty = always
    std::string sameAs;   ///< an object with the keys of another, which are listed there
    std::string meaning;  ///< one line
    bool mandatory = false;
    bool operator==(const MatrixKey&) const = default;
};

/// Every key in the order of the file, those of every kind of lengths, sessions and tests included: made of the one
/// description of keys that the reader, the writer and validate() use (matrix_keys.h).
std::vector<MatrixKey> matrixKeys();

/// What the key at a path of matrixKeys() means; empty where nothing is said of it (key_meanings.cpp).
std::string_view meaningOfKey(std::string_view path);
/// All paths that have a meaning.
std::vector<std::string_view> pathsWithMeaning();

} // namespace tailmark
