// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_export.h"

#include "charts/plot_view.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>

namespace tailmark::ui {

namespace {

constexpr qreal kPngScale = 2;
constexpr int kPdfDpi = 1200;

QSizeF sizeOf(const QList<PlotView*>& charts)
{
    QSizeF size;
    for (const PlotView* chart : charts)
        size = QSizeF(std::max<qreal>(size.width(), chart->width()), size.height() + chart->height());
    return size;
}

void drawAll(QPainter& painter, const QList<PlotView*>& charts, qreal scale)
{
    qreal y = 0;
    for (PlotView* chart : charts) {
        chart->renderForFile(painter, QRectF(0, y, chart->width() * scale, chart->height() * scale));
        y += chart->height() * scale;
    }
}

QByteArray pngOf(const QList<PlotView*>& charts)
{
    QImage image((sizeOf(charts) * kPngScale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    drawAll(painter, charts, kPngScale);
    painter.end();
    QByteArray data;
    QBuffer buffer(&data);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return data;
}

QByteArray svgOf(const QList<PlotView*>& charts, const QString& title)
{
    QByteArray data;
    QBuffer buffer(&data);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize(sizeOf(charts).toSize());
    svg.setViewBox(QRectF({}, sizeOf(charts)));
    svg.setTitle(title);
    QPainter painter(&svg);
    painter.setRenderHint(QPainter::Antialiasing);
    drawAll(painter, charts, 1);
    painter.end();
    return data;
}

QByteArray pdfOf(const QList<PlotView*>& charts, const QString& title)
{
    QByteArray data;
    QBuffer buffer(&data);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter pdf(&buffer);
    const QSizeF points = sizeOf(charts) * 0.75; // 96 dots of the screen are 72 points
    pdf.setPageSize(QPageSize(points, QPageSize::Point, {}, QPageSize::ExactMatch));
    pdf.setPageMargins({});
    pdf.setResolution(kPdfDpi);
    pdf.setTitle(title);
    QPainter painter(&pdf);
    painter.setRenderHint(QPainter::Antialiasing);
    drawAll(painter, charts, kPdfDpi / 96.0);
    painter.end();
    return data;
}

} // namespace

Status saveCharts(const QList<PlotView*>& charts, const QString& path, const QString& title)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    QByteArray data;
    if (ending == QLatin1String("png"))
        data = pngOf(charts);
    else if (ending == QLatin1String("svg"))
        data = svgOf(charts, title);
    else if (ending == QLatin1String("pdf"))
        data = pdfOf(charts, title);
    else
        return Error{ErrorCode::BadInput, path.toStdString(), "a chart is written as .png, .svg or .pdf"};
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(data) != data.size() || !file.commit())
        return Error{ErrorCode::Io, path.toStdString(), file.errorString().toStdString()};
    return success();
}

} // namespace tailmark::ui
