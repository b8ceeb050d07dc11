// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/help_dialogs.h"

#include "analysis/metrics.h"
#include "models/format.h"
#include "style/icons.h"

#include <QAction>
#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableWidget>
#include <QVBoxLayout>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

QString translated(const char* text, const char* comment = nullptr)
{
    return QCoreApplication::translate("tailmark::ui::help_dialogs", text, comment);
}

QDialogButtonBox* closeButton(QDialog& dialog)
{
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, &dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    return buttons;
}

/// A list of names and explanations with a line to search in it.
class ReferenceDialog : public QDialog
{
public:
    ReferenceDialog(const QString& title, const QStringList& columns, QWidget* parent)
        : QDialog(parent), m_table(new QTableWidget(0, static_cast<int>(columns.size()), this))
    {
        setWindowTitle(title);
        m_table->setHorizontalHeaderLabels(columns);
        m_table->setWordWrap(true);
        m_table->setShowGrid(false);
        m_table->setTabKeyNavigation(false);
        m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
        m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
        m_table->setAccessibleName(title);
        m_table->verticalHeader()->hide();
        m_table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
        QHeaderView* header = m_table->horizontalHeader();
        header->setHighlightSections(false);
        header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        header->setSectionResizeMode(QHeaderView::ResizeToContents);
        header->setSectionResizeMode(static_cast<int>(columns.size()) - 1, QHeaderView::Stretch);
        auto* search = new QLineEdit(this);
        search->setPlaceholderText(translated("Search"));
        search->setAccessibleName(search->placeholderText());
        search->setClearButtonEnabled(true);
        connect(search, &QLineEdit::textChanged, this, &ReferenceDialog::filter);
        auto* column = new QVBoxLayout(this);
        column->addWidget(search);
        column->addWidget(m_table, 1);
        column->addWidget(closeButton(*this));
        resize(820, 560);
    }

    void add(const QStringList& texts)
    {
        const int row = m_table->rowCount();
        m_table->insertRow(row);
        for (int column = 0; column < texts.size(); ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            item->setTextAlignment(Qt::AlignLeft | Qt::AlignTop);
            m_table->setItem(row, column, item);
        }
    }

private:
    void filter(const QString& wanted)
    {
        for (int row = 0; row < m_table->rowCount(); ++row) {
            bool matches = wanted.trimmed().isEmpty();
            for (int column = 0; column < m_table->columnCount(); ++column)
                matches = matches ||
                          m_table->item(row, column)->text().contains(wanted.trimmed(), Qt::CaseInsensitive);
            m_table->setRowHidden(row, !matches);
        }
    }

    QTableWidget* m_table;
};

} // namespace

void showAbout(QWidget* parent)
{
    QDialog dialog(parent);
    dialog.setWindowTitle(translated("About Tailmark"));
    auto* mark = new QLabel(&dialog);
    mark->setPixmap(applicationIcon().pixmap(QSize(64, 64), dialog.devicePixelRatioF()));
    auto* text = new QLabel(&dialog);
    text->setTextFormat(Qt::RichText);
    text->setTextInteractionFlags(Qt::TextBrowserInteraction);
    text->setText(
        translated(
            "<h2>Tailmark %1</h2>"
            "<p>Benchmarks LLM serving engines: throughput against tail latency under a stated workload, "
            "with the operating point at your service level objective.</p>"
            "<p>Free software under the GNU General Public License, version 3 or later. It comes with no "
            "warranty.</p><p>Built with Qt %2.</p>")
            .arg(QStringLiteral(TAILMARK_VERSION), QString::fromLatin1(qVersion())));
    text->setWordWrap(true);
    text->setMinimumWidth(380);
    auto* row = new QHBoxLayout;
    row->setSpacing(20);
    row->addWidget(mark, 0, Qt::AlignTop);
    row->addWidget(text, 1);
    auto* column = new QVBoxLayout(&dialog);
    column->setContentsMargins(24, 20, 24, 16);
    column->addLayout(row);
    column->addWidget(closeButton(dialog));
    dialog.exec();
}

void showShortcuts(QWidget* parent, const QList<QAction*>& actions)
{
    ReferenceDialog dialog(translated("Keyboard shortcuts"), {translated("Keys"), translated("What they do")},
                           parent);
    for (const QAction* action : actions)
        if (!action->shortcut().isEmpty())
            dialog.add({action->shortcut().toString(QKeySequence::NativeText), action->text().remove(u'&')});
    for (const auto& [keys, text] :
         {std::pair(translated("Space"), translated("In the tests table: enable or disable the test")),
          std::pair(translated("Ctrl+D, Del"), translated("In the tests table: duplicate, remove the test")),
          std::pair(translated("Alt+Up, Alt+Down"), translated("In the tests table: move the test")),
          std::pair(translated("Up, Down"), translated("In a number: step its last digit"))})
        dialog.add({keys, text});
    dialog.exec();
}

void showMetricDefinitions(QWidget* parent)
{
    ReferenceDialog dialog(
        translated("Definitions of the metrics"),
        {translated("Metric"), translated("Id"), translated("Unit"), translated("Definition")}, parent);
    for (const MetricInfo& info : metricCatalogue())
        dialog.add({text(info.title), text(info.id), text(info.unit), text(info.definition)});
    dialog.resize(960, 640);
    dialog.exec();
}

} // namespace tailmark::ui
