// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "report/document.h"

#include <QString>

namespace tailmark::ui {

/// Writes a report as pages of A4: text, tables that break between rows with their head repeated, and the
/// charts as vectors. Errors: Io.
Status saveReportPdf(const ReportDocument& report, const QString& path);

} // namespace tailmark::ui
