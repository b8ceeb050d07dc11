// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/demo.h"

#include "shell/sample_matrices.h"

namespace tailmark::ui {

using namespace Qt::StringLiterals;

Demo::Demo(const QString& simulator, QObject* parent) : QObject(parent), m_sim(simulator)
{
    connect(&m_sim, &SimProcess::failed, this, &Demo::failed);
    connect(&m_sim, &SimProcess::ready, this, [this](const QString& url) {
        Result<Matrix> matrix = demoMatrix();
        if (!matrix.ok()) {
            emit failed(QString::fromStdString(matrix.error().line()));
            return;
        }
        matrix.value().target.baseUrl = url.toStdString();
        emit ready(matrix.value());
    });
}

void Demo::start()
{
    m_sim.start({u"--profile"_s, u"8b-h100"_s, u"--port"_s, u"0"_s});
}

} // namespace tailmark::ui
