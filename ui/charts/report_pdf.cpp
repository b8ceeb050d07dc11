// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/report_pdf.h"

#include "charts/column_widths.h"
#include "models/format.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QCoreApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSaveFile>
#include <QScreen>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextBlockFormat>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextObjectInterface>
#include <QTextTable>

#include <algorithm>

namespace tailmark::ui {

namespace {

constexpr int kDpi = 300;
constexpr qreal kMarginMm = 15;
constexpr qreal kTextPt = 9.5;
constexpr qreal kTablePt = 7.5;
constexpr qreal kWideTablePt = 5.6;
constexpr qreal kCellPt = 2;
constexpr qreal kLongestWordShare = 0.35; ///< of the page; a longer word (a hash) may be broken
constexpr int kFigureObject = QTextFormat::UserObject + 1;
constexpr int kSvgProperty = QTextFormat::UserProperty + 1;

const QColor kText(0x1b1f24);
const QColor kMuted(0x57606a);
const QColor kLine(0xd0d7de);
const QColor kShade(0xf3f5f8);
const QColor kClaim(0x0b62c4);
const QColor kWarning(0x8a5a00);

/// The colours of a report's charts on paper; the classes are those of core/report's SVG.
const char* const kChartStyle = "<style>"
                                "text{fill:#1b1f24}"
                                ".point-halo{fill:#ffffff;stroke:#ffffff;stroke-width:5}"
                                ".tick{fill:#57606a}"
                                ".grid{stroke:#d0d7de;stroke-width:0.6}"
                                ".axis{stroke:#57606a}"
                                ".curve{fill:none;stroke:#0b62c4;stroke-width:2}"
                                ".whisker{stroke:#57606a;stroke-width:1.4}"
                                ".passing{fill:#14804a}"
                                ".failing{fill:#c0392b}"
                                ".invalid{fill:#ffffff;stroke:#57606a;stroke-width:1.6}"
                                ".limit{stroke:#c0392b;stroke-width:1.6;stroke-dasharray:7,5}"
                                ".limit-label{fill:#c0392b}"
                                ".bracket{fill:#e7effa}"
                                ".crossing{fill:none;stroke:#0b62c4;stroke-width:2.6}"
                                ".crossing-line{stroke:#0b62c4;stroke-dasharray:2,4}"
                                ".bound{fill:none;stroke:#57606a;stroke-width:1.6;stroke-dasharray:8,3,2,3}"
                                ".bound-mark{fill:#57606a}"
                                "</style>";

QString tr(const char* text)
{
    return QCoreApplication::translate("tailmark::ui::ReportPdf", text);
}

/// Points on paper as a text document counts lengths: in dots of the screen, which it scales to the page.
qreal pt(qreal points)
{
    return points * qRound(QGuiApplication::primaryScreen()->logicalDotsPerInchY()) / 72;
}

/// What a length of the document is on the page.
qreal onPage(qreal length)
{
    return length * kDpi / qRound(QGuiApplication::primaryScreen()->logicalDotsPerInchY());
}

/// A text document breaks a line behind each slash: never inside "1/s".
QString unbroken(const std::string& words)
{
    return text(words).replace(QLatin1Char('/'), QStringLiteral("/\u2060"));
}

/// An SVG that stands in the text like a letter, as wide as the page.
class FigureObject : public QObject, public QTextObjectInterface
{
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

public:
    explicit FigureObject(QTextDocument* document) : QObject(document) {}

    QSizeF intrinsicSize(QTextDocument* document, int, const QTextFormat& format) override
    {
        const QSizeF size = QSvgRenderer(format.property(kSvgProperty).toByteArray()).defaultSize();
        const qreal width = document->pageSize().width() * 0.98;
        return size.isEmpty() ? QSizeF() : QSizeF(width, width * size.height() / size.width());
    }

    void drawObject(QPainter* painter, const QRectF& place, QTextDocument*, int,
                    const QTextFormat& format) override
    {
        QSvgRenderer(format.property(kSvgProperty).toByteArray()).render(painter, place);
    }
};

class ReportPages
{
public:
    ReportPages(QTextDocument& document, const ReportDocument& report)
        : m_document(document), m_cursor(&document)
    {
        m_cursor.beginEditBlock(); // laid out once, not after each cell
        paragraph(text(report.title), 17, true, kText, 0);
        paragraph(text(report.subtitle), kTextPt, false, kMuted, 2);
        for (const ReportSection& section : report.sections) {
            paragraph(text(section.title), 13, true, kText, 14);
            keepWithNext();
            for (const ReportBlock& block : section.blocks)
                std::visit([this](const auto& each) { add(each); }, block);
        }
        m_cursor.endEditBlock();
        breakPages();
    }

private:
    void paragraph(const QString& words, qreal points, bool bold, const QColor& color, qreal above)
    {
        QTextBlockFormat block;
        block.setTopMargin(pt(above));
        block.setBottomMargin(pt(3));
        begin(block);
        m_cursor.insertText(words, letters(points, bold, color));
    }

    /// A new block, or the empty one that the document begins with and that stands behind each table.
    void begin(const QTextBlockFormat& format)
    {
        if (m_blockIsEmpty)
            m_cursor.setBlockFormat(format);
        else
            m_cursor.insertBlock(format);
        m_blockIsEmpty = false;
    }

    static QTextCharFormat letters(qreal points, bool bold, const QColor& color)
    {
        QTextCharFormat format;
        format.setFontFamilies({QStringLiteral("DejaVu Sans")});
        format.setFontPointSize(points);
        format.setFontWeight(bold ? QFont::Bold : QFont::Normal);
        format.setForeground(color);
        return format;
    }

    void add(const Paragraph& each)
    {
        const bool claim = each.kind == Paragraph::Kind::Claim,
                   warning = each.kind == Paragraph::Kind::Warning;
        QTextBlockFormat block;
        block.setTopMargin(pt(claim || warning ? 5 : 2));
        block.setBottomMargin(pt(claim || warning ? 5 : 3));
        if (claim || warning) {
            block.setBackground(kShade);
            block.setLeftMargin(pt(6));
        }
        begin(block);
        m_cursor.insertText(text(each.text), letters(claim ? kTextPt + 1 : kTextPt, claim,
                                                     claim     ? kClaim
                                                     : warning ? kWarning
                                                               : kText));
    }

    enum class Heads { OnOneLine, MayBreak };
    /// What the columns need in these letters, on the page.
    QList<ColumnNeed> needsOf(const ReportTable& table, qreal points, Heads heads) const
    {
        const qreal padding = onPage(pt(2 * kCellPt + 1));
        QList<ColumnNeed> needs;
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            ColumnNeed need;
            const auto take = [&](const QString& words, bool head) {
                const QFontMetricsF metrics(letters(points, head, kText).font(),
                                            m_document.documentLayout()->paintDevice());
                if (!head || heads == Heads::OnOneLine)
                    need.whole = std::max(need.whole, metrics.horizontalAdvance(words) + padding);
                for (const QString& word : words.split(QLatin1Char(' ')))
                    need.least = std::max(need.least, metrics.horizontalAdvance(word) + padding);
            };
            take(text(table.columns[column].title), true);
            for (const auto& row : table.rows)
                take(text(row[column]), false);
            need.least = std::min(need.least, m_document.pageSize().width() * kLongestWordShare);
            need.whole = std::max(need.whole, need.least);
            needs << need;
        }
        return needs;
    }

    void add(const ReportTable& each)
    {
        if (each.columns.empty())
            return;
        const qreal room = m_document.pageSize().width();
        const auto sum = [](const QList<ColumnNeed>& needs, qreal ColumnNeed::*part) {
            qreal all = 0;
            for (const ColumnNeed& need : needs)
                all += need.*part;
            return all;
        };
        qreal points = kTablePt;
        QList<ColumnNeed> needs = needsOf(each, points, Heads::OnOneLine);
        if (sum(needs, &ColumnNeed::whole) > room) { // rather a head on two lines than what stands below it
            QList<ColumnNeed> narrow = needsOf(each, points, Heads::MayBreak);
            if (sum(narrow, &ColumnNeed::whole) <= room) // and the rest to the heads
                for (qsizetype i = 0; i < needs.size(); ++i)
                    narrow[i] = {narrow[i].whole, needs[i].whole};
            needs = narrow;
        }
        if (sum(needs, &ColumnNeed::least) > room) {
            points = kWideTablePt;
            needs = needsOf(each, points, Heads::MayBreak);
        }
        QTextTableFormat format;
        format.setBorder(0);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_None);
        format.setCellPadding(pt(kCellPt));
        format.setCellSpacing(0);
        format.setHeaderRowCount(1);
        format.setTopMargin(pt(4));
        format.setBottomMargin(pt(4));
        QList<QTextLength> widths;
        for (const qreal width : columnWidths(needs, room))
            widths << QTextLength(QTextLength::FixedLength, width / onPage(1));
        format.setColumnWidthConstraints(widths);
        const auto columns = static_cast<int>(each.columns.size());
        QTextTable* table = m_cursor.insertTable(static_cast<int>(each.rows.size()) + 1, columns, format);
        const auto cell = [&](int row, int column, const std::string& words, bool head) {
            QTextTableCell place = table->cellAt(row, column);
            const QTextCharFormat writing = letters(points, head, head ? kMuted : kText);
            QTextTableCellFormat look;
            look.merge(writing); // also the height of an empty cell
            look.setBottomBorder(pt(head ? 0.8 : 0.4));
            look.setBottomBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            look.setBottomBorderBrush(head ? kMuted : kLine);
            if (head)
                look.setVerticalAlignment(QTextCharFormat::AlignBottom);
            place.setFormat(look);
            QTextCursor at = place.firstCursorPosition();
            QTextBlockFormat block;
            block.setAlignment(each.columns[static_cast<std::size_t>(column)].isNumber ? Qt::AlignRight
                                                                                       : Qt::AlignLeft);
            at.setBlockFormat(block);
            at.insertText(unbroken(words), writing);
        };
        for (int column = 0; column < columns; ++column)
            cell(0, column, each.columns[static_cast<std::size_t>(column)].title, true);
        for (std::size_t row = 0; row < each.rows.size(); ++row)
            for (int column = 0; column < columns; ++column)
                cell(static_cast<int>(row) + 1, column, each.rows[row][static_cast<std::size_t>(column)],
                     false);
        m_tables << table;
        m_cursor.movePosition(QTextCursor::End);
        m_cursor.setBlockCharFormat(letters(1, false, kText)); // where another table follows it stays empty
        m_blockIsEmpty = true;
    }

    void add(const Figure& each)
    {
        static const QRegularExpression label(
            QStringLiteral("<text([^>]*)class=\"point-label\"([^>]*>[^<]*</text>)"));
        QString svg = text(each.svg); // a label is read over what it lies on
        svg.replace(QStringLiteral("<text "),
                    QStringLiteral("<text font-family=\"DejaVu Sans\" font-size=\"13\" "));
        svg.replace(label, QStringLiteral("<text\\1class=\"point-halo\"\\2<text\\1class=\"point-label\"\\2"));
        QByteArray picture = svg.toUtf8();
        if (const qsizetype open = picture.indexOf("<svg"), end = picture.indexOf('>', open);
            open >= 0 && end > 0)
            picture.insert(end + 1, kChartStyle);
        QTextCharFormat object;
        object.setObjectType(kFigureObject);
        object.setProperty(kSvgProperty, picture);
        begin({});
        m_cursor.insertText(QString(QChar::ObjectReplacementCharacter), object);
        keepWithNext();
        paragraph(text(each.caption), kTablePt + 0.5, false, kMuted, 0);
    }

    void add(const Listing& each)
    {
        paragraph(text(each.title), kTextPt, true, kText, 6);
        keepWithNext();
        QTextCharFormat mono = letters(kTablePt - 0.5, false, kText);
        mono.setFontFamilies({QFontDatabase::systemFont(QFontDatabase::FixedFont).family()});
        QTextBlockFormat block;
        block.setBackground(kShade);
        block.setNonBreakableLines(false);
        for (const QString& line : text(each.text).split(QLatin1Char('\n'))) {
            begin(block);
            m_cursor.insertText(line, mono);
        }
    }

    void keepWithNext() { m_kept << m_cursor.position(); }

    int pageOf(qreal y) const { return static_cast<int>(y / m_document.pageSize().height()); }
    QRectF placeOf(const QTextBlock& block) const
    {
        return m_document.documentLayout()->blockBoundingRect(block);
    }
    /// The first row of figures, else the head.
    static QTextBlock firstRowOf(const QTextTable& table)
    {
        return table.cellAt(std::min(1, table.rows() - 1), 0).firstCursorPosition().block();
    }

    /// No title and no head of a table stands at the foot of a page by itself. From the first on: each break
    /// moves all that follows.
    void breakPages()
    {
        struct Head
        {
            int position = 0;
            QTextTable* table = nullptr; ///< absent: a title
        };
        QList<Head> heads;
        for (int position : std::as_const(m_kept))
            heads << Head{position, nullptr};
        for (QTextTable* table : std::as_const(m_tables))
            heads << Head{table->firstPosition(), table};
        std::ranges::sort(heads, {}, &Head::position);
        for (const Head& head : std::as_const(heads)) {
            const QTextBlock block = m_document.findBlock(head.position);
            QTextBlock follower = head.table ? firstRowOf(*head.table) : block.next();
            if (!head.table)
                if (const QTextTable* table = QTextCursor(follower).currentTable())
                    follower = firstRowOf(*table);
            if (pageOf(placeOf(block).top()) == pageOf(placeOf(follower).bottom() - 1))
                continue;
            if (head.table) {
                QTextTableFormat format = head.table->format();
                format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
                head.table->setFormat(format);
            } else {
                QTextBlockFormat format = block.blockFormat();
                format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
                format.setTopMargin(0);
                QTextCursor(block).setBlockFormat(format);
            }
        }
    }

    QTextDocument& m_document;
    QTextCursor m_cursor;
    bool m_blockIsEmpty = true;
    QList<int> m_kept; ///< positions in blocks that stay with what follows
    QList<QTextTable*> m_tables;
};

QByteArray pdfOf(const ReportDocument& report)
{
    QByteArray data;
    QBuffer buffer(&data);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter pdf(&buffer);
    pdf.setResolution(kDpi);
    pdf.setPageSize(QPageSize(QPageSize::A4));
    pdf.setPageMargins(QMarginsF(kMarginMm, kMarginMm, kMarginMm, kMarginMm), QPageLayout::Millimeter);
    pdf.setTitle(text(report.title));

    QTextDocument document;
    document.setUndoRedoEnabled(false);
    document.setDocumentMargin(0);
    document.documentLayout()->setPaintDevice(&pdf);
    document.documentLayout()->registerHandler(kFigureObject, new FigureObject(&document));
    const qreal foot = 26.0 * kDpi / 72;
    const QSizeF body(pdf.width(), pdf.height() - foot);
    document.setPageSize(body);
    ReportPages(document, report);

    QPainter painter(&pdf);
    QFont small(QStringLiteral("DejaVu Sans"));
    small.setPointSizeF(kTablePt);
    const int pages = document.pageCount();
    for (int page = 0; page < pages; ++page) {
        if (page > 0)
            pdf.newPage();
        painter.save();
        painter.translate(0, -page * body.height());
        document.drawContents(&painter, QRectF(0, page * body.height(), body.width(), body.height()));
        painter.restore();
        painter.setFont(small);
        painter.setPen(kMuted);
        const QRectF line(0, body.height(), body.width(), foot);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignBottom, text(report.title));
        painter.drawText(line, Qt::AlignRight | Qt::AlignBottom,
                         tr("page %1 of %2").arg(page + 1).arg(pages));
    }
    painter.end();
    return data;
}

} // namespace

Status saveReportPdf(const ReportDocument& report, const QString& path)
{
    const QByteArray data = pdfOf(report);
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(data) != data.size() || !file.commit())
        return Error{ErrorCode::Io, path.toStdString(), file.errorString().toStdString()};
    return success();
}

} // namespace tailmark::ui

#include "report_pdf.moc"
