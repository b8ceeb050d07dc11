// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "store/store.h"

#include <QDialog>

class QLineEdit;
class QPlainTextEdit;

namespace tailmark::ui {

/// Name, tags and note of a stored run.
class RunEditDialog : public QDialog
{
    Q_OBJECT

public:
    explicit RunEditDialog(const RunInfo& run, QWidget* parent = nullptr);

    QString name() const;
    QStringList tags() const;
    QString note() const;

private:
    QLineEdit* m_name;
    QLineEdit* m_tags;
    QPlainTextEdit* m_note;
};

} // namespace tailmark::ui
