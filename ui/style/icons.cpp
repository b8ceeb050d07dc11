// SPDX-License-Identifier: GPL-3.0-or-later
#include "style/icons.h"

#include "style/theme.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

class TintedIconEngine : public QIconEngine
{
public:
    TintedIconEngine(const QString& file, Tint tint) : m_file(file), m_tint(tint) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const qreal ratio = painter->device()->devicePixelRatioF();
        painter->drawPixmap(rect, scaledPixmap(rect.size() * ratio, mode, state, ratio));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1.0);
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal ratio) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        QSvgRenderer renderer(m_file);
        renderer.render(&painter, QRectF(QPointF(0, 0), QSizeF(size)));
        painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
        painter.fillRect(pixmap.rect(), colour(mode));
        painter.end();
        pixmap.setDevicePixelRatio(ratio);
        return pixmap;
    }

    QIconEngine* clone() const override { return new TintedIconEngine(m_file, m_tint); }

private:
    QColor colour(QIcon::Mode mode) const
    {
        const QPalette palette = QGuiApplication::palette();
        if (mode == QIcon::Disabled)
            return palette.color(QPalette::Disabled, QPalette::ButtonText);
        const ThemeColours colours = themeColours(palette);
        switch (m_tint) {
        case Tint::Text:
            return mode == QIcon::Selected ? palette.color(QPalette::HighlightedText)
                                           : palette.color(QPalette::Active, QPalette::ButtonText);
        case Tint::Secondary:
            return colours.secondary;
        case Tint::Accent:
            return colours.accent;
        case Tint::OnAccent:
            return colours.onAccent;
        case Tint::Error:
            return colours.error;
        case Tint::Warning:
            return colours.warning;
        case Tint::Ok:
            return colours.ok;
        }
        return {};
    }

    QString m_file;
    Tint m_tint;
};

} // namespace

QIcon icon(const QString& name, Tint tint)
{
    const QString file = u":/icons/%1.svg"_s.arg(name);
    Q_ASSERT_X(QFile::exists(file), "icon", qPrintable(file));
    return QIcon(new TintedIconEngine(file, tint));
}

QIcon applicationIcon()
{
    QIcon icon;
    QSvgRenderer renderer(u":/icons/tailmark.svg"_s);
    for (const int size : {16, 24, 32, 48, 64, 128, 256}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        renderer.render(&painter);
        painter.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

} // namespace tailmark::ui
