// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/welcome_page.h"

#include "style/icons.h"
#include "style/theme.h"

#include <QAbstractButton>
#include <QDir>
#include <QFileInfo>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kCardWidth = 248;
constexpr int kRecentShown = 4;

/// A large button: an icon, what it does, and one sentence about it.
class StartCard : public QAbstractButton
{
public:
    StartCard(const QString& iconName, const QString& title, const QString& text, bool primary,
              QWidget* parent)
        : QAbstractButton(parent), m_text(text), m_primary(primary)
    {
        setText(title);
        setIcon(tailmark::ui::icon(iconName, primary ? Tint::OnAccent : Tint::Accent));
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
        setCursor(Qt::PointingHandCursor);
        setAccessibleName(QString(title).remove(u'&'));
        setAccessibleDescription(text);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

    QSize sizeHint() const override { return {kCardWidth, 172}; }
    QSize minimumSizeHint() const override { return {200, 172}; }

protected:
    void focusInEvent(QFocusEvent* event) override
    {
        // The ring is for those who come by keyboard, not for the first window that opens.
        m_ring = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                 event->reason() == Qt::ShortcutFocusReason;
        QAbstractButton::focusInEvent(event);
    }

    void paintEvent(QPaintEvent*) override
    {
        const ThemeColours& colours = themeColours(palette());
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const bool hot = underMouse() || isDown();
        const QRectF frame = QRectF(rect()).adjusted(1, 1, -1, -1);
        QColor fill = m_primary ? colours.accent : palette().color(QPalette::Base);
        if (hot)
            fill = m_primary ? fill.lighter(112) : colours.accentSoft;
        painter.setBrush(fill);
        painter.setPen(hasFocus() && m_ring
                           ? QPen(m_primary ? palette().color(QPalette::WindowText) : colours.accent, 2)
                           : QPen(m_primary ? colours.accent : colours.border, 1));
        painter.drawRoundedRect(frame, 8, 8);

        constexpr int margin = 20;
        icon().paint(&painter, QRect(margin, margin, 28, 28));
        QFont bold = font();
        bold.setPointSizeF(bold.pointSizeF() * 1.15);
        bold.setWeight(QFont::DemiBold);
        painter.setFont(bold);
        painter.setPen(m_primary ? colours.onAccent : palette().color(QPalette::WindowText));
        const QRect title(margin, margin + 40, width() - 2 * margin, QFontMetrics(bold).height());
        painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextShowMnemonic, text());
        painter.setFont(font());
        QColor body = m_primary ? colours.onAccent : colours.secondary;
        if (m_primary)
            body.setAlphaF(0.9F);
        painter.setPen(body);
        painter.drawText(
            QRect(margin, title.bottom() + 6, width() - 2 * margin, height() - title.bottom() - 14),
            Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_text);
    }

private:
    QString m_text;
    bool m_primary;
    bool m_ring = false;
};

} // namespace

WelcomePage::WelcomePage(QWidget* parent)
    : QWidget(parent), m_recent(new QVBoxLayout), m_recentBox(new QWidget(this))
{
    auto* title = new QLabel(tr("Measure what an engine can really serve"), this);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.9);
    large.setWeight(QFont::DemiBold);
    title->setFont(large);
    title->setWordWrap(true);
    auto* text = new QLabel(
        tr("Throughput against tail latency, from a stated workload, with the point marked where the latency "
           "crosses your objective."),
        this);
    text->setWordWrap(true);
    QFont medium = text->font();
    medium.setPointSizeF(medium.pointSizeF() * 1.1);
    text->setFont(medium);
    setRole(text, u"secondary"_s);

    auto* demo = new StartCard(
        u"demo"_s, tr("Run the &demo"),
        tr("Starts a simulated engine on this machine and measures it. Two minutes, no GPU, no key."), true,
        this);
    auto* connectCard = new StartCard(
        u"probe"_s, tr("&Connect to an engine…"),
        tr("Name the URL of a vLLM, SGLang, llama.cpp or any OpenAI-compatible server and probe it."), false,
        this);
    auto* open = new StartCard(
        u"open"_s, tr("&Open a matrix…"),
        tr("Go on with a test matrix that was saved, or drop its file on this window."), false, this);
    connect(demo, &QAbstractButton::clicked, this, &WelcomePage::demoRequested);
    connect(connectCard, &QAbstractButton::clicked, this, &WelcomePage::connectRequested);
    connect(open, &QAbstractButton::clicked, this, &WelcomePage::openRequested);
    auto* cards = new QHBoxLayout;
    cards->setSpacing(16);
    for (QWidget* card :
         {static_cast<QWidget*>(demo), static_cast<QWidget*>(connectCard), static_cast<QWidget*>(open)})
        cards->addWidget(card, 1);

    const auto link = [this](const QString& text, const QString& help) {
        auto* button = new QPushButton(text, this);
        button->setFlat(true);
        button->setCursor(Qt::PointingHandCursor);
        button->setToolTip(help);
        button->setAccessibleDescription(help);
        setRole(button, u"link"_s);
        return button;
    };
    QPushButton* recommended =
        link(tr("or take the &recommended matrix"),
             tr("A diagnostic, two sweeps and a burst that fit any engine, for the target that is set"));
    connect(recommended, &QPushButton::clicked, this, &WelcomePage::recommendedRequested);
    QPushButton* fresh = link(tr("begin a &new matrix"), tr("The same tests, without a target of yours"));
    connect(fresh, &QPushButton::clicked, this, &WelcomePage::newRequested);
    auto* links = new QHBoxLayout;
    links->setSpacing(8);
    links->addWidget(recommended);
    links->addWidget(fresh);
    links->addStretch(1);

    auto* recentColumn = new QVBoxLayout(m_recentBox);
    recentColumn->setContentsMargins(0, 0, 0, 0);
    recentColumn->setSpacing(4);
    auto* recentTitle = new QLabel(tr("Opened last"), m_recentBox);
    setRole(recentTitle, u"secondary"_s);
    recentColumn->addWidget(recentTitle);
    m_recent->setSpacing(0);
    recentColumn->addLayout(m_recent);
    m_recentBox->hide();

    auto* content = new QWidget(this);
    content->setMaximumWidth(3 * kCardWidth + 2 * 16 + 48);
    auto* column = new QVBoxLayout(content);
    column->setSpacing(8);
    column->addWidget(title);
    column->addWidget(text);
    column->addSpacing(24);
    column->addLayout(cards);
    column->addSpacing(4);
    column->addLayout(links);
    column->addSpacing(20);
    column->addWidget(m_recentBox);

    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(content, 100);
    row->addStretch(1);
    auto* page = new QVBoxLayout(this);
    page->setContentsMargins(32, 24, 32, 24);
    page->addStretch(2);
    page->addLayout(row);
    page->addStretch(3);
}

void WelcomePage::setRecent(const QStringList& paths)
{
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const QString& path : paths.mid(0, kRecentShown)) {
        const QFileInfo file(path);
        QString folder = file.absolutePath();
        if (folder.startsWith(QDir::homePath()))
            folder.replace(0, QDir::homePath().size(), u"~"_s);
        auto* button = new QPushButton(icon(u"document"_s, Tint::Secondary),
                                       u"%1   %2"_s.arg(file.fileName(), folder), m_recentBox);
        button->setFlat(true);
        button->setCursor(Qt::PointingHandCursor);
        button->setToolTip(path);
        setRole(button, u"link"_s);
        connect(button, &QPushButton::clicked, this, [this, path] { emit recentRequested(path); });
        m_recent->addWidget(button, 0, Qt::AlignLeft);
    }
    m_recentBox->setVisible(!paths.isEmpty());
}

} // namespace tailmark::ui
