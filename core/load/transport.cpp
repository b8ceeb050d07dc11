// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/transport.h"

namespace tailmark {

RequestRecord recordOf(const SendOrder& order)
{
    RequestRecord record;
    record.request = order.request;
    record.worker = order.worker;
    record.phase = order.planned.phase;
    record.intended = order.intended;
    record.promptTokensPlanned = order.planned.promptTokens;
    record.promptTokensClient = order.planned.promptTokensClient;
    record.cachedTokensPlanned = order.planned.cachedTokens;
    record.session = order.planned.session;
    record.turn = order.planned.turn;
    record.outputTokensCap = order.planned.outputTokens;
    return record;
}

} // namespace tailmark
