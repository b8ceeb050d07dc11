// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "plan/plan.h"
#include "workload/image_part.h"
#include "workload/prompt.h"

#include <map>
#include <set>

#include <nlohmann/json.hpp>

using namespace tailmark;
using Json = nlohmann::json;

namespace {

Matrix matrixWith(const Json& extras)
{
    Matrix m;
    m.target.model = "base";
    m.workload.lengths.promptTokens = 20;
    m.workload.lengths.outputTokens = 7;
    m.workload.extras = extras;
    m.tests.emplace_back();
    return m;
}

std::shared_ptr<const RequestSource> sourceOf(const Matrix& matrix)
{
    return makeRequestSource(matrix, expand(matrix).value().points.at(0), {}).value();
}

std::string textOf(const RequestSource& source, std::uint32_t index)
{
    std::string body;
    source.writeBody(index, body);
    return body;
}

Json bodyOf(const RequestSource& source, std::uint32_t index)
{
    return Json::parse(textOf(source, index));
}

/// The polynomial division of ISO 3309, a bit at a time.
quint32 crcOf(const QByteArray& bytes)
{
    quint32 crc = 0xffffffff;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

/// The chunks of a PNG picture by their names; those with a wrong checksum are missing.
std::map<QByteArray, QByteArray> chunksOf(const QByteArray& png)
{
    std::map<QByteArray, QByteArray> chunks;
    for (qsizetype at = 8; at + 12 <= png.size();) {
        const auto size = static_cast<qsizetype>(qFromBigEndian<quint32>(png.constData() + at));
        const QByteArray typeAndData = png.mid(at + 4, 4 + size);
        if (crcOf(typeAndData) == qFromBigEndian<quint32>(png.constData() + at + 8 + size))
            chunks[typeAndData.left(4)] = typeAndData.mid(4);
        at += 12 + size;
    }
    return chunks;
}

QByteArray pictureOf(const Json& part)
{
    const QByteArray url = QByteArray::fromStdString(part["image_url"]["url"].get<std::string>());
    const QByteArray prefix = "data:image/png;base64,";
    return url.startsWith(prefix)
               ? QByteArray::fromBase64(url.mid(prefix.size()), QByteArray::AbortOnBase64DecodingErrors)
               : QByteArray();
}

} // namespace

class RequestExtrasTest : public QObject
{
    Q_OBJECT

private slots:
    void fieldsAreSentAsTheyAre()
    {
        const Json extras = {{"response_format",
                              {{"type", "json_schema"},
                               {"json_schema", {{"name", "answer"}, {"schema", {{"type", "object"}}}}}}},
                             {"tools", {{{"type", "function"}, {"function", {{"name", "search"}}}}}},
                             {"tool_choice", "required"},
                             {"priority", -3},
                             {"cache_salt", "tenant 1"},
                             {"n", 4},
                             {"chat_template_kwargs", {{"enable_thinking", false}}}};
        const auto source = sourceOf(matrixWith(extras));
        const Json body = bodyOf(*source, 5);
        for (const auto& [key, value] : extras.items())
            QVERIFY2(body[key] == value, key.c_str());
        QCOMPARE(body["max_tokens"].get<int>(), 7); // of each choice
        QCOMPARE(source->planned(5).outputTokens, 28);
        QCOMPARE(body["model"].get<std::string>(), std::string("base"));
        QVERIFY(body["messages"][0]["content"].is_string());
        // what is not asked for is not sent
        const Json plain = bodyOf(*sourceOf(matrixWith({{"n", 1}})), 5);
        for (const char* key :
             {"n", "priority", "cache_salt", "response_format", "tools", "images", "variants"})
            QVERIFY2(!plain.contains(key), key);
    }

    void variantsAreDrawnByWeightFromTheSeed()
    {
        const Matrix m = matrixWith({{"priority", 1},
                                     {"variants",
                                      {{{"weight", 3}},
                                       {{"weight", 1}, {"model", "lora-a"}, {"priority", 9}},
                                       {{"model", "lora \"b\""}}}}});
        const auto source = sourceOf(m);
        std::map<std::string, int> models;
        const int n = 4000;
        for (std::uint32_t i = 0; i < n; ++i) {
            const Json body = bodyOf(*source, i);
            const std::string model = body["model"];
            ++models[model];
            QCOMPARE(body["priority"].get<int>(), model == "lora-a" ? 9 : 1);
            QVERIFY(!body.contains("weight"));
        }
        QCOMPARE(models.size(), std::size_t{3});
        QVERIFY(std::abs(models["base"] - n * 3 / 5) < 150);
        QVERIFY(std::abs(models["lora-a"] - n / 5) < 120);
        const auto again = sourceOf(m);
        for (std::uint32_t i = 0; i < 50; ++i)
            QCOMPARE(textOf(*again, i), textOf(*source, i));
        // a text has its key once: a parser may take either of two
        QCOMPARE(QString::fromStdString(textOf(*source, 0)).count("\"model\""), 1);
    }

    void picturesHaveTheirSizeAndAreAllDifferent()
    {
        const Matrix m = matrixWith({{"images", {{"count", 2}, {"width_px", 301}, {"height_px", 40}}}});
        const auto source = sourceOf(m);
        std::set<QByteArray> seen;
        for (std::uint32_t i = 0; i < 100; ++i) {
            const Json content = bodyOf(*source, i)["messages"][0]["content"];
            QCOMPARE(content.size(), std::size_t{3});
            QCOMPARE(content[0]["type"].get<std::string>(), std::string("text"));
            QCOMPARE(QString::fromStdString(content[0]["text"]).split(' ', Qt::SkipEmptyParts).size(),
                     qsizetype(20));
            for (const std::size_t picture : {1u, 2u}) {
                QCOMPARE(content[picture]["type"].get<std::string>(), std::string("image_url"));
                seen.insert(pictureOf(content[picture]));
            }
        }
        QCOMPARE(seen.size(), std::size_t{200});
        for (const QByteArray& png : seen) {
            QVERIFY(png.startsWith("\x89PNG\r\n\x1a\n"));
            const auto chunks = chunksOf(png);
            QCOMPARE(chunks.size(), std::size_t{4});
            const QByteArray header = chunks.at("IHDR");
            QCOMPARE(qFromBigEndian<quint32>(header.constData()), 301u);
            QCOMPARE(qFromBigEndian<quint32>(header.constData() + 4), 40u);
            QCOMPARE(chunks.at("PLTE").size(), qsizetype(12));
        }
        // zlib: stored in one block of 40 rows of 76 + 1 bytes
        const QByteArray data = chunksOf(*seen.begin()).at("IDAT");
        QCOMPARE(data.size(), qsizetype(2 + 5 + 40 * 77 + 4));
        quint32 a = 1, b = 0;
        for (const char byte : data.mid(7, 40 * 77)) {
            a = (a + static_cast<unsigned char>(byte)) % 65521;
            b = (b + a) % 65521;
        }
        QCOMPARE(qFromBigEndian<quint32>(data.constData() + data.size() - 4), b << 16 | a);
        QCOMPARE(bodyOf(*sourceOf(m), 3), bodyOf(*source, 3));
    }

    void aPictureFromAFile()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath("cat.jpg");
        const QByteArray jpeg("\xff\xd8\xff\xe0 a picture", 15);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(jpeg) == jpeg.size());
        file.close();
        const Matrix m = matrixWith({{"images", {{"file", path.toStdString()}}}});
        const Json content = bodyOf(*sourceOf(m), 0)["messages"][0]["content"];
        QCOMPARE(content.size(), std::size_t{2});
        QCOMPARE(QByteArray::fromStdString(content[1]["image_url"]["url"]),
                 "data:image/jpeg;base64," + jpeg.toBase64());

        const Matrix missing = matrixWith({{"images", {{"file", "/nowhere/cat.jpg"}}}});
        const auto refused = makeRequestSource(missing, expand(missing).value().points.at(0), {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().where, std::string("/nowhere/cat.jpg"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("no picture") > 0);
        file.close();
        const auto noPicture = imageFileUrl(path.toStdString());
        QVERIFY(!noPicture);
        QCOMPARE(noPicture.error().message, std::string("is no PNG, JPEG, WebP or GIF picture"));
    }

    void bodiesGrowOnceAndAreThenWrittenInPlace()
    {
        const auto source =
            sourceOf(matrixWith({{"n", 2}, {"images", {{"width_px", 64}, {"height_px", 64}}}}));
        std::string body;
        source->writeBody(0, body);
        body.reserve(body.size() + 64);
        const char* const where = body.data();
        for (std::uint32_t i = 1; i < 200; ++i)
            source->writeBody(i, body);
        QVERIFY(body.data() == where);
    }
};

QTEST_GUILESS_MAIN(RequestExtrasTest)
#include "tst_request_extras.moc"
