// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_mix_rows.h"

#include "pages/plan_length_fields.h"
#include "pages/remove_button.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <limits>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

/// Parts of a matrix whose lengths are a mix; another matrix shows none.
std::size_t partsOf(const Matrix& matrix)
{
    return matrix.workload.lengths.kind == LengthsKind::Mix ? matrix.workload.lengths.parts.size() : 0;
}

struct PartAt
{
    std::size_t index = 0;

    template <typename M> auto& operator()(M& matrix) const { return matrix.workload.lengths.parts[index]; }
};

MixPart newPart(const std::vector<MixPart>& others)
{
    MixPart part;
    part.lengths = fixedLengths(512, 128);
    for (std::size_t number = others.size() + 1;; ++number) {
        part.name = "part" + std::to_string(number);
        if (std::ranges::none_of(others, [&](const MixPart& other) { return other.name == part.name; }))
            return part;
    }
}

} // namespace

PlanMixRows::PlanMixRows(PlanDocument& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_column(new QVBoxLayout), m_empty(new QLabel(this))
{
    m_empty->setText(tr("A mix needs a part: a kind of request with its lengths and its weight."));
    setRole(m_empty, u"error"_s);
    m_column->setSpacing(12);
    auto* add = new QPushButton(icon(u"add"_s), tr("Add a part"), this);
    add->setToolTip(tr("One more kind of request; each is sent by its share of all weights"));
    connect(add, &QPushButton::clicked, this, [this] {
        m_document.edit(tr("Add a part"), {}, [](Matrix& matrix) {
            auto& parts = matrix.workload.lengths.parts;
            parts.push_back(newPart(parts));
        });
        if (!m_rows.empty())
            m_rows.back().form->focusField("workload.lengths.parts[" + std::to_string(m_rows.size() - 1) +
                                           "].name");
    });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(m_empty);
    column->addLayout(m_column);
    column->addWidget(add, 0, Qt::AlignLeft);
    connect(&document, &PlanDocument::changed, this, &PlanMixRows::fitRows);
}

PlanMixRows::Row PlanMixRows::makeRow(int index)
{
    const PartAt at{static_cast<std::size_t>(index)};
    Row row;
    row.box = new QWidget(this);
    auto* line = new QHBoxLayout(row.box);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(8);
    row.form = new PlanForm(m_document, 4, row.box);
    row.form->setExists([at](const Matrix& matrix) { return at.index < partsOf(matrix); });
    row.form->setPathPrefix("workload.lengths.parts[" + std::to_string(index) + "]");
    row.form->addString(
        "name", tr("Name"), [at](auto& m) -> auto& { return at(m).name; });
    row.form->addNumber(
        "weight", tr("Weight"), {}, [at](auto& m) -> auto& { return at(m).weight; },
        tr("Its share of the requests is its weight among all weights"));
    row.form->addChoice(
        "lengths.kind", tr("Lengths"),
        {{tr("Fixed"), {}},
         {tr("From a trace file"), {}},
         {tr("Pairs from a file"), {}},
         {tr("Through given quantiles"), {}}},
        [at](auto& m) -> auto& { return at(m).lengths.kind; }, {}, 2);
    addLengthFields(*row.form, {index});
    row.form->addChoice(
        "prefix.kind", tr("Shared prefixes"),
        {{tr("As the workload"), tr("What is set for all parts below")},
         {tr("None"), tr("Prompts of this part have nothing in common")},
         {tr("Groups"), tr("A share of its prompts begins with the prefix of one of several groups")}},
        [at](const Matrix& m) {
            const std::optional<Prefix>& own = at(m).prefix;
            return !own ? 0 : own->kind == PrefixKind::None ? 1 : own->kind == PrefixKind::Shared ? 2 : -1;
        },
        [at](Matrix& m, int choice) {
            std::optional<Prefix>& own = at(m).prefix;
            if (choice == 0) {
                own.reset();
                return;
            }
            Prefix prefix = own.value_or(Prefix{});
            prefix.kind = choice == 1 ? PrefixKind::None : PrefixKind::Shared;
            own = prefix;
        },
        {}, 2);
    const auto prefix = [at](Matrix& m) -> Prefix& {
        std::optional<Prefix>& own = at(m).prefix;
        return own ? *own : own.emplace();
    };
    row.form
        ->addText(
            "prefix.shared_tokens", tr("Prefix length"),
            [at](const Matrix& m) { return QString::number(at(m).prefix.value_or(Prefix{}).sharedTokens); },
            [prefix](Matrix& m, const QString& text) {
                qint64 tokens = 0;
                const QString problem = wholeNumberFromText(text, 0, std::numeric_limits<int>::max(), tokens);
                if (problem.isEmpty())
                    prefix(m).sharedTokens = static_cast<int>(tokens);
                return problem;
            })
        ->setUnit(tr("tokens"));
    row.form->addText(
        "prefix.groups", tr("Groups"),
        [at](const Matrix& m) { return QString::number(at(m).prefix.value_or(Prefix{}).groups); },
        [prefix](Matrix& m, const QString& text) {
            qint64 groups = 0;
            const QString problem = wholeNumberFromText(text, 0, std::numeric_limits<int>::max(), groups);
            if (problem.isEmpty())
                prefix(m).groups = static_cast<int>(groups);
            return problem;
        });
    row.form->addText(
        "prefix.share", tr("Share"),
        [at](const Matrix& m) { return formatEditable(at(m).prefix.value_or(Prefix{}).share); },
        [prefix](Matrix& m, const QString& text) { return decimalFromText(text, prefix(m).share); });
    for (QWidget* field : row.form->findChildren<QWidget*>())
        if (const QString name = field->accessibleName(); !name.isEmpty())
            field->setAccessibleName(tr("%1 of part %2").arg(name).arg(index + 1));
    line->addWidget(row.form, 1);

    auto* remove = removeButton(row.box, tr("Remove this part"), tr("Remove part %1").arg(index + 1));
    connect(remove, &QToolButton::clicked, this, [this, index] {
        m_document.edit(tr("Remove a part"), {}, [index](Matrix& matrix) {
            auto& parts = matrix.workload.lengths.parts;
            parts.erase(parts.begin() + index);
        });
    });
    line->addWidget(remove, 0, Qt::AlignTop);
    return row;
}

void PlanMixRows::fitRows()
{
    const Matrix& matrix = m_document.matrix();
    const std::size_t wanted = partsOf(matrix);
    m_empty->setVisible(wanted == 0);
    while (m_rows.size() > wanted) {
        const Row row = m_rows.back();
        m_rows.pop_back();
        emit formRemoved(row.form);
        m_column->removeWidget(row.box);
        row.box->hide();
        row.box->deleteLater();
    }
    while (m_rows.size() < wanted) {
        const Row row = makeRow(static_cast<int>(m_rows.size()));
        m_column->addWidget(row.box);
        row.box->show(); // now, so that it can take the focus
        emit formAdded(row.form);
        row.form->refresh();
        m_rows.push_back(row);
    }
    for (std::size_t i = 0; i < wanted; ++i) {
        const MixPart& part = matrix.workload.lengths.parts[i];
        showLengthFields(*m_rows[i].form, part.lengths.kind);
        for (const char* path : {"prefix.shared_tokens", "prefix.groups", "prefix.share"})
            m_rows[i].form->setFieldVisible(path, part.prefix && part.prefix->kind == PrefixKind::Shared);
    }
}

} // namespace tailmark::ui
