// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_json.h"

#include "plan/json_visitors.h"
#include "plan/request_extras.h"
#include "plan/strict_json.h"
#include "plan/validate.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include <unistd.h>

namespace tailmark {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

Error badInput(std::string where, std::string message)
{
    return {ErrorCode::BadInput, std::move(where), std::move(message)};
}

Error ioError(const std::string& path, const std::string& what)
{
    return {ErrorCode::Io, path, what + ": " + std::strerror(errno)};
}

/// Keys and types are right; values may be out of range.
Result<Matrix> draftFromJson(const json& object, const std::string& source)
{
    if (!object.is_object())
        return badInput(source, "must be a JSON object, is " + keys::shown(object));
    Matrix matrix;
    keys::Reader reader(object, source);
    keys::describeMatrix(reader, matrix);
    if (std::optional<Error> error = reader.finish())
        return *error;
    return matrix;
}

Result<Matrix> withRightValues(Result<Matrix> draft, const std::string& source)
{
    if (!draft)
        return draft;
    const std::vector<Finding> wrong = valueErrors(draft.value());
    if (!wrong.empty())
        return badInput((source.empty() ? "" : source + ": ") + wrong.front().path, wrong.front().message);
    return draft;
}

/// Calls `visit` with the key and the name of every file that the matrix names.
void visitFiles(Matrix& matrix, const std::function<void(const std::string& key, std::string& file)>& visit)
{
    const auto one = [&](const std::string& key, std::string& file) {
        if (!file.empty())
            visit(key, file);
    };
    one("workload.lengths.file", matrix.workload.lengths.file);
    for (std::size_t i = 0; i < matrix.workload.lengths.parts.size(); ++i)
        one(keys::indexed("workload.lengths.parts", i) + ".lengths.file",
            matrix.workload.lengths.parts[i].lengths.file);
    if (const Result<RequestExtras> extras = readExtras(matrix.workload.extras);
        extras && !extras.value().images.file.empty())
        one("workload.extras.images.file", matrix.workload.extras["images"]["file"].get_ref<std::string&>());
    one("target.tls.ca_file", matrix.target.tls.caFile);
    if (matrix.pairedWith)
        one("paired_with.target.tls.ca_file", matrix.pairedWith->target.tls.caFile);
}

} // namespace

Result<Matrix> matrixFromText(const std::string& text, const std::string& source)
{
    const Result<json> parsed = parseStrictly(text, source);
    if (!parsed)
        return parsed.error();
    return matrixFromJson(parsed.value(), source);
}

Result<Matrix> matrixFromJson(const json& object, const std::string& source)
{
    return withRightValues(draftFromJson(object, source), source);
}

ordered_json matrixToJson(const Matrix& matrix)
{
    keys::Writer writer;
    keys::describeMatrix(writer, matrix);
    return writer.take();
}

void resolveFiles(Matrix& matrix, const std::string& folder)
{
    visitFiles(matrix, [&](const std::string&, std::string& file) {
        file = (std::filesystem::path(folder) / file).lexically_normal().string();
    });
}

Error withKeyOfFile(const Matrix& matrix, Error error)
{
    Matrix named = matrix;
    std::string found;
    visitFiles(named, [&](const std::string& key, std::string& file) {
        const bool isMeant = error.where == file || error.where.starts_with(file + ":"); // with a line
        if (found.empty() && isMeant)
            found = key;
    });
    if (!found.empty())
        error.where = found + ": " + error.where;
    return error;
}

Result<Matrix> loadMatrix(const std::string& path)
{
    return withRightValues(loadDraft(path), path);
}

Result<Matrix> loadDraft(const std::string& path)
{
    namespace fs = std::filesystem;
    std::error_code ec;
    if (fs::is_directory(path, ec))
        return badInput(path, "is a folder; must be a matrix file (*.tailmark.json)");
    const std::uintmax_t size = fs::file_size(path, ec);
    if (ec)
        return badInput(path, "cannot be read: " + ec.message());
    if (size > 16u * 1024 * 1024)
        return badInput(path, "is larger than 16 MiB and so no matrix");
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    if (!file.read(text.data(), static_cast<std::streamsize>(text.size())))
        return badInput(path, std::string("cannot be read: ") + std::strerror(errno));
    const Result<json> parsed = parseStrictly(text, path);
    if (!parsed)
        return parsed.error();
    Result<Matrix> matrix = draftFromJson(parsed.value(), path);
    if (!matrix)
        return matrix;
    resolveFiles(matrix.value(), fs::absolute(path, ec).parent_path().string());
    return matrix;
}

Status saveMatrix(const Matrix& matrix, const std::string& path)
{
    namespace fs = std::filesystem;
    std::error_code ec;
    // A link is kept and what it points to replaced.
    const fs::path resolved = fs::weakly_canonical(path, ec);
    const std::string target = ec ? path : resolved.string();
    const std::string temporary = target + ".part" + std::to_string(::getpid());
    const std::string text = matrixToJson(matrix).dump(2, ' ', false, json::error_handler_t::replace) + "\n";

    std::FILE* file = std::fopen(temporary.c_str(), "wb");
    if (!file)
        return ioError(path, "cannot be written");
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                         std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0;
    const bool closed = std::fclose(file) == 0;
    if (!written || !closed || std::rename(temporary.c_str(), target.c_str()) != 0) {
        const Error error = ioError(path, "cannot be written");
        std::remove(temporary.c_str());
        return error;
    }
    return success();
}

namespace {

/// One step of a key path: a key, or the number of a list item.
struct Step
{
    std::string key;
    std::size_t index = 0;
    bool isIndex = false;
};

/// "tests[0].levels" as steps; nothing when it is no key path.
std::vector<Step> stepsOf(const std::string& path)
{
    std::vector<Step> steps;
    std::size_t at = 0;
    while (at < path.size()) {
        if (path[at] == '[') {
            const std::size_t close = path.find(']', at);
            const std::string digits = close == std::string::npos ? "" : path.substr(at + 1, close - at - 1);
            if (digits.empty() || digits.size() > 6 ||
                digits.find_first_not_of("0123456789") != std::string::npos)
                return {};
            steps.push_back({{}, std::stoul(digits), true});
            at = close + 1;
            if (at < path.size() && path[at] == '.' && ++at == path.size())
                return {};
        } else {
            const std::size_t end = path.find_first_of(".[", at);
            if (end == at)
                return {};
            steps.push_back({path.substr(at, end == std::string::npos ? end : end - at)});
            if (end == std::string::npos)
                break;
            at = path[end] == '.' ? end + 1 : end;
            if (at == path.size())
                return {};
        }
    }
    return steps;
}

} // namespace

Status applySetting(ordered_json& matrix, const std::string& assignment)
{
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
        return badInput("--set " + assignment, "must be path=value, like measurement.duration_s=5");
    const std::string path = assignment.substr(0, equals);
    const std::string where = "--set " + path;
    const std::vector<Step> steps = stepsOf(path);
    if (steps.empty())
        return badInput(where, "must be a key path, like tests[0].levels");

    ordered_json* at = &matrix;
    std::string walked;
    for (const Step& step : steps) {
        if (step.isIndex) {
            if (!at->is_array())
                return badInput(where, walked + " is not a list");
            if (step.index >= at->size())
                return badInput(where,
                                walked + " has " + std::to_string(at->size()) + " items, counted from 0");
            at = &(*at)[step.index];
            walked = keys::indexed(walked, step.index);
        } else {
            if (at->is_null())
                *at = ordered_json::object();
            if (!at->is_object())
                return badInput(where, walked + (at->is_array() ? " is a list, whose items are " + keys::indexed(walked, 0) +
                                                                      ", " + keys::indexed(walked, 1) + " and so on"
                                                                : " is not an object"));
            at = &(*at)[step.key];
            walked = keys::joined(walked, step.key);
        }
    }
    const std::string value = assignment.substr(equals + 1);
    const Result<json> parsed = parseStrictly(value, where);
    // Where the matrix has text, a name like 123 or true is text too.
    const bool asText = !parsed || (at->is_string() && !parsed.value().is_string());
    *at = asText ? ordered_json(value) : ordered_json(parsed.value());
    return success();
}

ordered_json planToJson(const Plan& plan)
{
    ordered_json json;
    json["matrix"] = matrixToJson(plan.matrix);
    json["points"] = ordered_json::array();
    for (const PointPlan& point : plan.points) {
        keys::Writer writer;
        keys::describePoint(writer, point);
        json["points"].push_back(writer.take());
    }
    return json;
}

Result<Plan> planFromJson(const json& object)
{
    if (!object.is_object() || !object.contains("matrix") || !object.contains("points") ||
        !object["points"].is_array())
        return badInput("plan", "must be an object with matrix and points");
    Result<Matrix> matrix = matrixFromJson(object["matrix"], "plan: matrix");
    if (!matrix)
        return matrix.error();
    Plan plan{std::move(matrix).value(), {}};
    for (std::size_t i = 0; i < object["points"].size(); ++i) {
        const json& item = object["points"][i];
        const std::string path = keys::indexed("points", i);
        if (!item.is_object())
            return badInput("plan: " + path, "must be an object");
        PointPlan point;
        keys::Reader reader(item, "plan", path);
        keys::describePoint(reader, point);
        if (std::optional<Error> error = reader.finish())
            return *error;
        if (point.testIndex < 0 || static_cast<std::size_t>(point.testIndex) >= plan.matrix.tests.size())
            return badInput("plan: " + path + ".test_index", "names no test of the matrix");
        plan.points.push_back(std::move(point));
    }
    return plan;
}

} // namespace tailmark
