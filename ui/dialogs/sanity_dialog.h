// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"

#include <QDialog>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QTextBrowser;

namespace tailmark::ui {

/// The sanity desk: what a headline figure implies, what it leaves out, and whether it can be, on hardware
/// and a model from the tables or typed; and the calculators of the field. Everything is worked out while
/// typing.
class SanityDialog : public QDialog
{
    Q_OBJECT

public:
    /// `bound`: what the matrix at hand states of hardware and model.
    explicit SanityDialog(const BoundInput& bound, QWidget* parent = nullptr);

private:
    QWidget* makeClaim(const BoundInput& bound);
    QWidget* makeCalculators();
    QLineEdit* addLine(QFormLayout* form, const QString& label, const QString& help,
                       const QString& placeholder);
    void checkTheClaim();
    void calculate();
    BoundInput boundInput() const;

    QLineEdit* m_claim = nullptr;
    QLabel* m_understood = nullptr;
    QComboBox* m_accelerator = nullptr;
    QComboBox* m_model = nullptr;
    QLineEdit* m_devices = nullptr;
    QLineEdit* m_bytes = nullptr;
    QLineEdit* m_bandwidth = nullptr;
    QLineEdit* m_params = nullptr;
    QTextBrowser* m_findings = nullptr;

    QLineEdit* m_users = nullptr;
    QLineEdit* m_response = nullptr;
    QLineEdit* m_think = nullptr;
    QLabel* m_loop = nullptr;
    QLineEdit* m_offered = nullptr;
    QLineEdit* m_completed = nullptr;
    QLineEdit* m_seconds = nullptr;
    QLabel* m_backlog = nullptr;
    QLineEdit* m_before = nullptr;
    QLineEdit* m_after = nullptr;
    QLabel* m_rounds = nullptr;
};

} // namespace tailmark::ui
