// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_document.h"

#include <QDialog>

namespace tailmark::ui {

class TargetProber;

/// Names an engine and probes it: the Target section of the Plan page on a matrix of its own.
class PlanConnectDialog : public QDialog
{
    Q_OBJECT

public:
    PlanConnectDialog(const Matrix& matrix, TargetProber& prober, QWidget* parent = nullptr);
    /// The matrix with the target that was named.
    const Matrix& matrix() const { return m_document.matrix(); }

private:
    PlanDocument m_document;
};

} // namespace tailmark::ui
