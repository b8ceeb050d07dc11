// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/sample_matrices.h"

#include "plan/plan_json.h"

#include <QFile>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

Result<Matrix> sample(const QString& name)
{
    QFile file(u":/matrices/%1.tailmark.json"_s.arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Internal, file.fileName().toStdString(), file.errorString().toStdString()};
    return matrixFromText(file.readAll().toStdString(), file.fileName().toStdString());
}

} // namespace

Result<Matrix> demoMatrix()
{
    return sample(u"demo"_s);
}

Matrix recommendedFor(const Matrix& matrix)
{
    Result<Matrix> sampled = sample(u"recommended"_s);
    Matrix recommended = sampled.ok() ? std::move(sampled).value() : Matrix();
    recommended.target = matrix.target;
    recommended.card = matrix.card;
    recommended.pairedWith = matrix.pairedWith;
    recommended.bound = matrix.bound;
    return recommended;
}

Matrix newMatrix()
{
    Result<Matrix> matrix = sample(u"recommended"_s);
    if (!matrix.ok())
        return {};
    matrix.value().name.clear();
    return std::move(matrix).value();
}

} // namespace tailmark::ui
