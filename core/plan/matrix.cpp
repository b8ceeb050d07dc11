// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/matrix_keys.h"

#include <set>

namespace tailmark {

const char* testKindId(TestKind kind)
{
    return keys::idOf(kind).data();
}

const char* cachePolicyId(CachePolicy policy)
{
    return keys::idOf(policy).data();
}

const char* outputPolicyId(OutputPolicy policy)
{
    return keys::idOf(policy).data();
}

const char* loadAxisId(LoadAxis axis)
{
    return keys::idOf(axis).data();
}

std::vector<std::string> testNames(const std::vector<Test>& tests)
{
    std::set<std::string> taken;
    for (const Test& test : tests)
        taken.insert(test.name);
    std::vector<std::string> names;
    names.reserve(tests.size());
    for (const Test& test : tests) {
        std::string name = test.name;
        const std::string kind = testKindId(test.kind);
        for (int number = 1; name.empty(); ++number) {
            const std::string candidate = number == 1 ? kind : kind + '#' + std::to_string(number);
            if (taken.insert(candidate).second)
                name = candidate;
        }
        names.push_back(std::move(name));
    }
    return names;
}

} // namespace tailmark
