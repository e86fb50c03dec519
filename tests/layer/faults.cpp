#include "tests/layer/faults.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "tests/layer/parameters.hpp"

namespace glint::layer {
namespace {

using Action = Fault::Action;

[[noreturn]] void refuse(std::string_view rule, std::string_view why) {
    throw FaultError(fmt::format(
        "GLINT_LAYER_FAULTS: \"{}\": {}; a rule is FUNCTION[KERNEL]@WHEN=ACTION", rule, why));
}

std::optional<uint64_t> number(std::string_view text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

Function known_function(std::string_view rule, std::string_view name) {
    const auto function = find_function(name);
    if (!function) refuse(rule, fmt::format("\"{}\" is no function of OpenCL", name));
    return *function;
}

bool is_launch(Function function) {
    return function == Function::clEnqueueNDRangeKernel || function == Function::clEnqueueTask;
}

/// Where an action makes sense.
bool fits(Action action, Function function) {
    switch (action) {
        case Action::error:
        case Action::kill:
        case Action::block:
        case Action::lost:
            return true;
        case Action::hang:
        case Action::flip:
        case Action::flip_all:
            return is_launch(function);
        case Action::late:
            return is_launch(function) || function == Function::clSetEventCallback;
        case Action::fail:
            return function == Function::clBuildProgram;
        case Action::elsewhere:
            return function == Function::clEnqueueMapBuffer;
        case Action::sync:
        case Action::never:
            return function == Function::clSetEventCallback;
    }
    return false;
}

struct NamedAction {
    std::string_view name;
    Action action;
    bool with_number;
};
constexpr NamedAction named_actions[] = {
    {"kill", Action::kill, false},
    {"block", Action::block, false},
    {"lost", Action::lost, false},
    {"hang", Action::hang, false},
    {"late", Action::late, true},
    {"flip", Action::flip, true},
    {"flip-all", Action::flip_all, true},
    {"fail", Action::fail, false},
    {"elsewhere", Action::elsewhere, false},
    {"sync", Action::sync, false},
    {"never", Action::never, false},
};

Fault parse_action(std::string_view rule, std::string_view text) {
    Fault fault;
    if (const auto code = find_error(text)) {
        fault.error = *code;
        return fault;
    }
    const size_t colon = std::min(text.find(':'), text.size());
    for (const NamedAction& named : named_actions) {
        if (named.name != text.substr(0, colon)) continue;
        if (named.with_number != (colon < text.size())) break;
        fault.action = named.action;
        if (!named.with_number) return fault;
        const auto value = number(text.substr(colon + 1));
        if (!value || *value > std::numeric_limits<uint32_t>::max()) break;
        fault.argument = static_cast<uint32_t>(*value);
        fault.delay = std::chrono::milliseconds(*value);
        return fault;
    }
    refuse(rule, fmt::format(
                     "\"{}\" is neither an OpenCL error such as CL_OUT_OF_RESOURCES nor one "
                     "of kill, block, lost, hang, late:MS, flip:ARGUMENT, flip-all:ARGUMENT, fail, "
                     "elsewhere, sync, "
                     "never",
                     text));
}

}  // namespace

void Faults::parse(std::string_view text, Rule& rule) {
    const size_t at = text.find('@');
    const size_t equals = text.find('=', std::min(at, text.size()));
    if (at == std::string_view::npos || equals == std::string_view::npos) {
        refuse(text, "there is no @ or no =");
    }
    std::string_view name = text.substr(0, at);
    if (const size_t bracket = name.find('['); bracket != std::string_view::npos) {
        if (!name.ends_with(']')) refuse(text, "the [ is not closed");
        rule.kernel = std::string(name.substr(bracket + 1, name.size() - bracket - 2));
        name = name.substr(0, bracket);
    }
    rule.function = known_function(text, name);
    if (!rule.kernel.empty() && !is_launch(rule.function)) {
        refuse(text, "only launches have a kernel");
    }
    std::string_view when = text.substr(at + 1, equals - at - 1);
    if (const size_t colon = when.find(':'); colon != std::string_view::npos) {
        rule.after = known_function(text, when.substr(0, colon));
        when.remove_prefix(colon + 1);
    }
    rule.begun = !rule.after;
    const bool every = when == "*";
    const bool from_then_on = when.ends_with('+') || every;
    if (when.ends_with('+')) when.remove_suffix(1);
    const auto first = every ? 1 : number(when);
    if (!first || *first == 0)
        refuse(text, "the call is N, N+ or *, counted from 1, perhaps after FUNCTION:");
    rule.first = *first;
    rule.last = from_then_on ? std::numeric_limits<uint64_t>::max() : *first;
    rule.fault = parse_action(text, text.substr(equals + 1));
    if (!fits(rule.fault.action, rule.function)) {
        refuse(text, fmt::format("{} cannot do that", info_of(rule.function).name));
    }
}

Faults::Faults(std::string_view text) {
    while (!text.empty()) {
        const size_t end = std::min(text.find(';'), text.size());
        if (end > 0) parse(text.substr(0, end), rules_.emplace_back());
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::optional<Fault> Faults::on_call(Function function, std::string_view kernel) {
    std::optional<Fault> result;
    for (Rule& rule : rules_) {
        if (rule.after == function) rule.begun = true;
        if (rule.function != function || !rule.begun) continue;
        if (!rule.kernel.empty() && rule.kernel != kernel) continue;
        const uint64_t call = ++rule.calls;
        if (!result && call >= rule.first && call <= rule.last) result = rule.fault;
    }
    return result;
}

bool Faults::concern(Function function) const noexcept {
    for (const Rule& rule : rules_) {
        if (rule.function == function || rule.after == function) return true;
    }
    return false;
}

}  // namespace glint::layer
