// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/baseline_actions.h"

#include "bridge/store_session.h"
#include "models/format.h"

#include <QCoreApplication>
#include <QInputDialog>
#include <QMenu>

namespace tailmark::ui {

namespace {

QString tr(const char* source)
{
    return QCoreApplication::translate("BaselineActions", source);
}

void askForName(StoreSession& store, RunId run, QWidget* parent)
{
    QStringList names;
    for (const auto& [name, id] : store.baselines())
        names << text(name);
    auto* dialog = new QInputDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Keep as baseline"));
    dialog->setLabelText(tr("Name of the baseline; one that is there already is replaced:"));
    dialog->setComboBoxItems(names);
    dialog->setComboBoxEditable(true);
    QObject::connect(dialog, &QInputDialog::textValueSelected, &store, [&store, run](const QString& typed) {
        if (const QString name = typed.simplified(); !name.isEmpty())
            store.setBaseline(name, run);
    });
    dialog->open();
}

} // namespace

void addBaselineActions(QMenu& menu, StoreSession& store, RunId run, QWidget* parent,
                        const std::function<void(RunId)>& compare)
{
    menu.addAction(tr("Keep as baseline…"), parent,
                   [&store, run, parent] { askForName(store, run, parent); });
    for (const auto& [name, baseline] : store.baselines())
        if (baseline != run)
            menu.addAction(tr("Compare with baseline “%1”").arg(text(name)), parent,
                           [compare, baseline = baseline] { compare(baseline); });
    for (const QString& name : baselinesOf(store.baselines(), run))
        menu.addAction(tr("Forget baseline “%1”").arg(name), parent,
                       [&store, name] { store.removeBaseline(name); });
}

} // namespace tailmark::ui
