// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/document_files.h"

#include "pages/plan_document.h"
#include "plan/validate.h"
#include "shell/sample_matrices.h"
#include "shell/settings.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kCopyDelayMs = 2'000;
const QString kSuffix = u".tailmark.json"_s;

QString fileFilter()
{
    return DocumentFiles::tr("Test matrices (*%1);;JSON files (*.json);;All files (*)").arg(kSuffix);
}

} // namespace

DocumentFiles::DocumentFiles(PlanDocument& document, Settings& settings, const QString& recoveryFolder,
                             QWidget* window)
    : QObject(window), m_document(document), m_settings(settings), m_window(window),
      m_recovery(recoveryFolder)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(kCopyDelayMs);
    connect(&m_timer, &QTimer::timeout, this, &DocumentFiles::keepCopy);
    connect(&document, &PlanDocument::changed, &m_timer, qOverload<>(&QTimer::start));
}

DocumentFiles::~DocumentFiles() = default;

bool DocumentFiles::recover()
{
    std::optional<RecoveryCopy::Found> found = m_recovery.take();
    if (!found)
        return false;
    m_document.reset(std::move(found->matrix), QFileInfo::exists(found->file) ? found->file : QString(),
                     true);
    return true;
}

bool DocumentFiles::open(const QString& path)
{
    if (const Status loaded = m_document.load(path); !loaded.ok()) {
        emit failed(
            tr("The matrix could not be opened. %1").arg(QString::fromStdString(loaded.error().line())));
        return false;
    }
    m_settings.addRecentMatrix(m_document.path());
    m_settings.setLastMatrix(m_document.path());
    emit recentChanged();
    emit opened();
    return true;
}

void DocumentFiles::replaceWith(const Matrix& matrix)
{
    m_document.reset(matrix, {});
    m_settings.setLastMatrix({});
    emit opened();
}

bool DocumentFiles::confirmLeaving()
{
    if (!m_document.isModified())
        return true;
    QMessageBox box(QMessageBox::Question, tr("Unsaved changes"),
                    tr("Save the changes to %1?").arg(m_document.displayName()),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, m_window);
    box.setInformativeText(tr("They are lost otherwise."));
    box.setDefaultButton(QMessageBox::Save);
    switch (box.exec()) {
    case QMessageBox::Save:
        return save();
    case QMessageBox::Discard:
        return true;
    default:
        return false;
    }
}

void DocumentFiles::forgetRecovery()
{
    m_timer.stop();
    m_recovery.forget();
}

void DocumentFiles::beginNew()
{
    if (confirmLeaving())
        replaceWith(newMatrix());
}

void DocumentFiles::beginRecommended()
{
    if (confirmLeaving())
        replaceWith(recommendedFor(m_document.matrix()));
}

void DocumentFiles::openWithDialog()
{
    if (!confirmLeaving())
        return;
    const QString folder = QFileInfo(m_settings.lastMatrix()).absolutePath();
    const QString path = QFileDialog::getOpenFileName(m_window, tr("Open a matrix"), folder, fileFilter());
    if (!path.isEmpty())
        open(path);
}

bool DocumentFiles::save()
{
    return m_document.path().isEmpty() ? saveAs() : saveTo(m_document.path());
}

bool DocumentFiles::saveAs()
{
    QFileDialog dialog(m_window, tr("Save the matrix"), QFileInfo(m_settings.lastMatrix()).absolutePath(),
                       fileFilter());
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.selectFile(m_document.path().isEmpty() ? m_document.displayName().replace(u'/', u'-') + kSuffix
                                                  : m_document.path());
    if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty())
        return false;
    QString path = dialog.selectedFiles().constFirst();
    if (QFileInfo(path).suffix().isEmpty())
        path += kSuffix;
    return saveTo(path);
}

bool DocumentFiles::saveTo(const QString& path)
{
    // A field that holds no value would silently be left out, and a file with a wrong value be refused when
    // it is opened again.
    std::vector<Finding> errors = m_document.fieldProblems();
    if (errors.empty())
        errors = valueErrors(m_document.matrix());
    if (!errors.empty()) {
        emit failed(tr("Not saved: %1: %2")
                        .arg(QString::fromStdString(errors.front().path),
                             QString::fromStdString(errors.front().message)));
        return false;
    }
    if (const Status saved = m_document.save(path); !saved.ok()) {
        emit failed(
            tr("The matrix could not be saved. %1").arg(QString::fromStdString(saved.error().line())));
        return false;
    }
    m_settings.addRecentMatrix(m_document.path());
    m_settings.setLastMatrix(m_document.path());
    forgetRecovery();
    emit recentChanged();
    return true;
}

/// A matrix with a wrong value could not be read back: the copy then stays at the last state that could.
void DocumentFiles::keepCopy()
{
    if (!m_document.isModified())
        m_recovery.forget();
    else if (valueErrors(m_document.matrix()).empty())
        m_recovery.keep(m_document.matrix(), m_document.path());
}

} // namespace tailmark::ui
