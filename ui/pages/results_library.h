// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/run_library_model.h"

#include <QStyledItemDelegate>
#include <QWidget>

class QComboBox;
class QLineEdit;
class QListView;

namespace tailmark::ui {

class MessageBar;
class StoreSession;

/// Three lines a run: its name; engine, model, points; date, names as a baseline, tags and state.
class RunItemDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
};

/// The list of stored runs: filter, sort, rename (F2), note and tags, delete (Del) with undo.
class RunLibrary : public QWidget
{
    Q_OBJECT

public:
    explicit RunLibrary(StoreSession* store, QWidget* parent = nullptr);

    RunId current() const;
    /// Selects it, also once it has appeared in the list.
    void select(RunId run);

public slots:
    void renameCurrent();
    void editCurrent();
    void deleteCurrent();

signals:
    void runOpened(tailmark::RunId run); ///< value 0: none is left
    /// Value 0: the reader has still to choose that one.
    void compareRequested(tailmark::RunId baseline, tailmark::RunId candidate);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void showRuns();
    void showMenu(const QPoint& at);

    StoreSession* m_store;
    RunLibraryModel* m_model;
    RunFilterModel* m_filtered;
    QLineEdit* m_filter;
    QComboBox* m_order;
    QListView* m_list;
    MessageBar* m_message;
    RunId m_wanted; ///< to be selected; the newest when 0
};

} // namespace tailmark::ui
