// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "store/store.h"

#include <QWidget>

class QLabel;

namespace tailmark::ui {

class ElidedLabel;

/// What identifies the open run: name, state, system, workload, where and when, note.
class RunHeader : public QWidget
{
    Q_OBJECT

public:
    explicit RunHeader(QWidget* parent = nullptr);

    void setRun(const StoredRun& run);
    /// The part that changes without a new measurement: name, tags, note, state.
    void setInfo(const RunInfo& info);

private:
    QLabel* m_name;
    QLabel* m_state;
    ElidedLabel* m_system;
    ElidedLabel* m_workload;
    ElidedLabel* m_note;
};

} // namespace tailmark::ui
