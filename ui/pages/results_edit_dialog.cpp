// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/results_edit_dialog.h"

#include "models/format.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>

namespace tailmark::ui {

RunEditDialog::RunEditDialog(const RunInfo& run, QWidget* parent)
    : QDialog(parent), m_name(new QLineEdit(text(run.name), this)), m_tags(new QLineEdit(this)),
      m_note(new QPlainTextEdit(text(run.note), this))
{
    setWindowTitle(tr("Name, tags and note"));
    QStringList tags;
    for (const std::string& tag : run.tags)
        tags << text(tag);
    m_tags->setText(tags.join(QStringLiteral(", ")));
    m_tags->setPlaceholderText(tr("separated by commas"));
    m_note->setTabChangesFocus(true);
    auto* form = new QFormLayout(this);
    form->addRow(tr("&Name"), m_name);
    form->addRow(tr("&Tags"), m_tags);
    form->addRow(tr("N&ote"), m_note);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_name, &QLineEdit::textChanged, this, [buttons](const QString& name) {
        buttons->button(QDialogButtonBox::Save)->setEnabled(!name.trimmed().isEmpty());
    });
    resize(460, 280);
}

QString RunEditDialog::name() const
{
    return m_name->text().trimmed();
}

QStringList RunEditDialog::tags() const
{
    QStringList tags;
    for (const QString& part : m_tags->text().split(QLatin1Char(',')))
        if (const QString tag = part.trimmed(); !tag.isEmpty() && !tags.contains(tag))
            tags << tag;
    return tags;
}

QString RunEditDialog::note() const
{
    return m_note->toPlainText().trimmed();
}

} // namespace tailmark::ui
