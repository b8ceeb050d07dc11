// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/key_list.h"

#include "plan/json_visitors.h"

#include <algorithm>
#include <set>
#include <typeindex>

namespace tailmark {

namespace {

/// A choice that a description may depend on, like the kind of a test.
struct Option
{
    std::string key;
    std::size_t value = 0, values = 0;
    std::string_view id;
};

struct Node
{
    MatrixKey key;
    std::string name;
    std::map<std::string, std::set<std::string_view>> seenWith; ///< by the choices before it in its object
    std::vector<std::pair<std::string, std::vector<std::string_view>>> choices; ///< of its children
    std::vector<Node> children;

    /// Null where it is new: then it was added.
    Node* find(std::string_view wanted)
    {
        const auto it = std::ranges::find(children, wanted, &Node::name);
        return it == children.end() ? nullptr : &*it;
    }
};

/// Where objects that stand in several places are listed.
const std::map<std::type_index, std::string>& homes()
{
    static const std::map<std::type_index, std::string> table = {{typeid(Target), "target"},
                                                                 {typeid(CardInput), "card"},
                                                                 {typeid(Lengths), "workload.lengths"},
                                                                 {typeid(Prefix), "workload.prefix"}};
    return table;
}

template <typename T, typename F> void explore(Node& node, const T& initial, F describe);

/// One walk through the description of an object with one set of its choices.
class Lister
{
public:
    Lister(Node& node, std::vector<Option>& options) : m_node(node), m_options(options) {}

    template <typename T> void value(std::string_view key, T& member, const keys::Rule& rule)
    {
        Node& child = add(key);
        child.key.allowed = keys::allowedWords<T>(rule);
        child.key.mandatory = rule.required;
        if (child.key.fallback.empty() && !rule.required)
            child.key.fallback = keys::given(member).dump();
        if constexpr (keys::ChoiceMember<T>)
            choose(key, member);
    }
    template <typename T, typename F> void object(std::string_view key, T& member, F describe)
    {
        Node& child = add(key);
        if (!isListedElsewhere<T>(child, "an object"))
            explore(child, member, describe);
    }
    template <typename T, typename F> void object(std::string_view key, std::optional<T>& member, F describe)
    {
        object(key, member.emplace(), describe);
        m_node.find(key)->key.fallback = "none";
    }
    template <typename T, typename F> void list(std::string_view key, std::vector<T>& members, F describe)
    {
        Node& child = add(key);
        child.key.allowed = "a list of objects";
        keys::Writer writer;
        writer.list(key, members, describe);
        child.key.fallback = writer.take()[std::string(key)].dump();
        child.key.path += "[]";
        explore(child, T(), describe);
        child.key.path.resize(child.key.path.size() - 2);
    }
    void card(std::string_view key, CardInput&)
    {
        Node& card = add(key);
        if (isListedElsewhere<CardInput>(card, "an object"))
            return;
        std::vector<Option> none;
        Lister lister(card, none);
        for (const std::string& entry : RunCard::fixedKeys()) {
            std::map<std::string, std::string> flags;
            std::string text;
            int count = 0;
            if (entry == "notes") {
                lister.value("flags", flags, keys::kAny);
                card.find("flags")->key.allowed = "an object of texts, numbers, true or false";
            }
            if (entry == keys::kAcceleratorCount)
                lister.value(entry, count, keys::kAcceleratorCountRule);
            else
                lister.value(entry, text, keys::kAny);
        }
    }

    std::size_t optionsMet() const { return m_met; }

private:
    Node& add(std::string_view key)
    {
        Node* child = m_node.find(key);
        if (!child) {
            child = &m_node.children.emplace_back();
            child->name = key;
            child->key.path = keys::joined(m_node.key.path, key);
        }
        for (std::size_t i = 0; i < m_met; ++i)
            child->seenWith[m_options[i].key].insert(m_options[i].id);
        return *child;
    }
    template <typename T> bool isListedElsewhere(Node& child, const std::string& what)
    {
        child.key.allowed = what;
        const auto home = homes().find(typeid(T));
        if (home == homes().end() || home->second == child.key.path)
            return false;
        child.key.sameAs = home->second;
        return true;
    }
    template <typename E> void choose(std::string_view key, E& member)
    {
        const auto& ids = keys::Choice<E>::ids;
        if (m_met == m_options.size()) {
            m_options.push_back({std::string(key), 0, ids.size(), {}});
            if (std::ranges::find(m_node.choices, key, [](const auto& c) { return std::string_view(c.first); }) ==
                m_node.choices.end())
                m_node.choices.emplace_back(key, std::vector<std::string_view>(ids.begin(), ids.end()));
        }
        Option& option = m_options[m_met++];
        member = static_cast<E>(option.value);
        option.id = ids[option.value];
    }

    Node& m_node;
    std::vector<Option>& m_options;
    std::size_t m_met = 0;
};

/// When the child is there, in words; empty where it always is.
std::string conditionOf(const Node& parent, const Node& child)
{
    std::string text;
    for (const auto& [key, all] : parent.choices) {
        const auto seen = child.seenWith.find(key);
        if (seen == child.seenWith.end() || seen->second.size() == all.size())
            continue;
        std::vector<std::string_view> ids;
        std::ranges::copy_if(all, std::back_inserter(ids), [&](std::string_view id) { return seen->second.count(id) > 0; });
        text += (text.empty() ? "" : " and ") + key + ' ' + keys::choiceText(ids.data(), ids.data() + ids.size());
    }
    return text;
}

/// Every key of an object: described again with each of its choices, each time from the begin.
template <typename T, typename F> void explore(Node& node, const T& initial, F describe)
{
    std::vector<Option> options;
    do {
        T object = initial;
        Lister lister(node, options);
        describe(lister, object);
        options.resize(lister.optionsMet());
        while (!options.empty() && options.back().value + 1 == options.back().values)
            options.pop_back();
        if (!options.empty())
            ++options.back().value;
    } while (!options.empty());
    for (Node& child : node.children)
        child.key.with = conditionOf(node, child);
}

void collect(const Node& node, std::vector<MatrixKey>& keys)
{
    for (const Node& child : node.children) {
        keys.push_back(child.key);
        keys.back().meaning = meaningOfKey(child.key.path);
        collect(child, keys);
    }
}

} // namespace

std::vector<MatrixKey> matrixKeys()
{
    Node root;
    explore(root, Matrix(), [](auto& v, auto& matrix) { keys::describeMatrix(v, matrix); });
    // Its keys of ours stand among fields of a request, which are anybody's.
    Node& extras = *root.find("workload")->find("extras");
    explore(extras, RequestExtras(), [](auto& v, auto& e) {
        keys::describeExtras(v, e);
        v.list("variants", e.variants, [](auto& w, auto& variant) { keys::describeVariant(w, variant); });
    });
    std::vector<MatrixKey> all;
    collect(root, all);
    return all;
}

} // namespace tailmark
