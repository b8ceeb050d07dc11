// SPDX-License-Identifier: GPL-3.0-or-later
// A matrix file: refused in one line, or read, written and read again to the same matrix.
#include "fuzz.h"
#include "plan/plan_json.h"
#include "plan/validate.h"

#include <string>

#include <nlohmann/json.hpp>

using namespace tailmark;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const Result<Matrix> read = matrixFromText(std::string(fuzz::textOf(data, size)), "file");
    if (!read) {
        const std::string text = read.error().line();
        FUZZ_CHECK(!text.empty() && text.find('\n') == std::string::npos);
        return 0;
    }
    const Matrix& matrix = read.value();
    FUZZ_CHECK(valueErrors(matrix).empty());
    validate(matrix);
    const nlohmann::ordered_json written = matrixToJson(matrix);
    const Result<Matrix> again = matrixFromText(written.dump(), "file");
    FUZZ_CHECK(again);
    FUZZ_CHECK(again.value() == matrix);
    FUZZ_CHECK(matrixToJson(again.value()) == written);
    return 0;
}
