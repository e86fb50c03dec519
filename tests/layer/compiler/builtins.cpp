#include "tests/layer/compiler/builtins.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <string>

namespace glint::layer::compiler {
namespace {

using ir::Type;

enum class Per {
    call,       ///< whatever the type
    operation,  ///< as an addition of that type would be counted
    lane,       ///< one component at a time: the unit for functions is scalar
};

struct Cost {
    uint32_t instructions;
    Per per;
    uint32_t relaxed = 0;  ///< with relaxed math, if that differs
};

/// What the instruction set has is one instruction (as Mesa's free driver documents it: minimum,
/// maximum, multiply-add, rounding, dot products, rotation, leading zeros); a function made of them
/// is counted as the specification's formula; what takes a software routine at full precision is a
/// guess at its length, and one or two with native_ or relaxed math, which has hardware for it.
const std::map<std::string_view, Cost>& table() {
    static const std::map<std::string_view, Cost> costs = {
        {"min", {1, Per::operation}},
        {"max", {1, Per::operation}},
        {"fmin", {1, Per::operation}},
        {"fmax", {1, Per::operation}},
        {"clamp", {2, Per::operation}},
        {"abs", {1, Per::operation}},
        {"fabs", {0, Per::operation}},  // a modifier of the source
        {"mad", {1, Per::operation}},
        {"mad24", {1, Per::operation}},
        {"mul24", {1, Per::operation}},
        {"mul_hi", {1, Per::operation}},
        {"mad_hi", {2, Per::operation}},
        {"rotate", {1, Per::operation}},
        {"clz", {1, Per::operation}},
        {"popcount", {1, Per::operation}},
        {"select", {1, Per::operation}},
        {"bitselect", {3, Per::operation}},
        {"upsample", {2, Per::operation}},
        {"abs_diff", {3, Per::operation}},
        {"hadd", {4, Per::operation}},
        {"rhadd", {4, Per::operation}},
        {"add_sat", {4, Per::operation}},
        {"sub_sat", {4, Per::operation}},
        {"mad_sat", {6, Per::operation}},
        {"any", {1, Per::lane}},
        {"all", {1, Per::lane}},
        {"floor", {1, Per::operation}},
        {"ceil", {1, Per::operation}},
        {"trunc", {2, Per::operation}},
        {"rint", {3, Per::operation}},  // to the nearest even: not the hardware's rounding
        {"round", {3, Per::operation}},
        {"sign", {2, Per::operation}},
        {"step", {1, Per::operation}},
        {"mix", {2, Per::operation}},
        {"smoothstep", {5, Per::operation}},
        {"degrees", {1, Per::operation}},
        {"radians", {1, Per::operation}},
        {"dot", {1, Per::call}},
        {"cross", {2, Per::call}},
        {"length", {5, Per::call, 2}},
        {"distance", {6, Per::call, 3}},
        {"normalize", {6, Per::call, 3}},
        {"fma", {12, Per::lane}},  // no fused instruction
        {"sqrt", {4, Per::lane, 1}},
        {"rsqrt", {4, Per::lane, 1}},
        {"exp", {16, Per::lane, 2}},
        {"exp2", {12, Per::lane, 1}},
        {"exp10", {16, Per::lane, 2}},
        {"log", {16, Per::lane, 2}},
        {"log2", {12, Per::lane, 1}},
        {"log10", {16, Per::lane, 2}},
        {"pow", {40, Per::lane, 3}},
        {"powr", {32, Per::lane, 3}},
        {"pown", {40, Per::lane, 3}},
        {"sin", {40, Per::lane, 2}},
        {"cos", {40, Per::lane, 2}},
        {"tan", {48, Per::lane, 5}},
        {"sincos", {60, Per::lane, 4}},
        {"barrier", {1, Per::call}},
        {"mem_fence", {1, Per::call}},
        {"read_mem_fence", {1, Per::call}},
        {"write_mem_fence", {1, Per::call}},
        {"async_work_group_copy", {16, Per::call}},  // a loop over the work-items' shares
        {"async_work_group_strided_copy", {18, Per::call}},
        {"wait_group_events", {1, Per::call}},
        {"prefetch", {0, Per::call}},
        {"printf", {30, Per::call}},  // into a buffer, argument by argument
    };
    return costs;
}

/// A routine of unknown length.
constexpr Cost unknown = {16, Per::lane};

Cost of_family(std::string_view name) {
    const auto starts = [name](std::string_view prefix) { return name.starts_with(prefix); };
    if (starts("get_image")) return {0, Per::call};      // a uniform
    if (starts("get_")) return {1, Per::call};           // a uniform or a start register
    if (starts("native_divide")) return {2, Per::lane};  // reciprocal, multiplication
    if (starts("native_") || starts("half_")) return {2, Per::lane};
    if (starts("fast_")) return {3, Per::call};
    if (starts("is")) return {1, Per::operation};  // isnan, isequal, ...
    if (starts("atom")) return {1, Per::call};
    if (starts("read_image")) return {3, Per::call};    // coordinates, fetch
    if (starts("write_image")) return {24, Per::call};  // addresses and formats in software
    return unknown;
}

Type widest_type(const ir::Instruction& call) {
    const Type first = call.operands.empty() ? Type{} : ir::type_of_operand(call.operands[0]);
    const bool usable = first.kind == Type::Kind::integer || first.kind == Type::Kind::floating;
    return usable && (first.lanes >= call.type.lanes || call.type.kind == Type::Kind::none)
               ? first
               : call.type;
}

uint32_t apply(const Cost& cost, const ir::Instruction& call, const CompilerLimits& limits) {
    const uint32_t each = call.fast && cost.relaxed > 0 ? cost.relaxed : cost.instructions;
    const Type type = widest_type(call);
    if (cost.per == Per::lane) return each * std::max(type.lanes, 1U);
    return cost.per == Per::call ? each : each * operation_cost(type, limits);
}

/// Each component is converted for itself where integers are scalar; saturation compares twice, a
/// rounding mode that is asked for takes its own instructions.
uint32_t conversion_cost(std::string_view name, const ir::Instruction& call,
                         const CompilerLimits& limits) {
    uint32_t each = 1;
    if (name.find("_sat") != std::string_view::npos) each += 2;
    if (name.find("_rt") != std::string_view::npos) each += 2;
    const uint32_t lanes = widest_type(call).lanes;
    return each * (limits.scalar_int ? lanes : (lanes + 3) / 4);
}

/// One register is filled or emptied at a time; the offset, unless it is 0, is multiplied and
/// added.
uint32_t vector_access_cost(std::string_view name, const ir::Instruction& call) {
    const bool stores = name.starts_with("vstore");
    const size_t offset = stores ? 1 : 0;
    const Type type =
        stores && !call.operands.empty() ? ir::type_of_operand(call.operands[0]) : call.type;
    const auto registers = static_cast<uint32_t>((type.components + 3) / 4);
    const bool plain = offset < call.operands.size() && call.operands[offset].ends_with(" 0");
    const bool converts = name.find("half") != std::string_view::npos;
    return registers * (converts ? 2 : 1) + (plain ? 0 : 1);
}

uint32_t intrinsic_cost(const ir::Instruction& call, const CompilerLimits& limits) {
    const std::string_view name = std::string_view(call.callee).substr(5);
    const auto starts = [name](std::string_view prefix) { return name.starts_with(prefix); };
    for (const auto silent : {"lifetime", "dbg", "assume", "experimental", "invariant", "expect"}) {
        if (starts(silent)) return 0;
    }
    if (starts("fsh")) return 3 * operation_cost(call.type, limits);
    if (starts("memcpy") || starts("memmove") || starts("memset")) {
        // 16 bytes at a time: straight when short, else a loop of about eight instructions.
        uint64_t bytes = ~0ULL;
        if (call.operands.size() > 2) {
            const std::string_view size = call.operands[2];
            const size_t digits = size.rfind(' ') + 1;
            std::from_chars(size.data() + digits, size.data() + size.size(), bytes);
        }
        return bytes <= 64 ? static_cast<uint32_t>((bytes + 15) / 16 * 2) : 8;
    }
    const std::string_view plain = name.substr(0, name.find('.'));
    const auto found = table().find(plain);
    if (found != table().end()) return apply(found->second, call, limits);
    return operation_cost(call.type, limits);  // fmuladd, smin, umax, abs, ctpop, ...
}

bool is_base(std::string_view operation) {
    static const std::set<std::string_view> names = {"add", "sub", "xchg", "inc", "dec", "cmpxchg"};
    return names.contains(operation);
}
bool is_extended(std::string_view operation) {
    static const std::set<std::string_view> names = {"min", "max", "and", "or", "xor"};
    return names.contains(operation);
}

}  // namespace

std::string_view plain_name(std::string_view mangled) {
    if (!mangled.starts_with("_Z")) return {};
    size_t size = 0;
    const char* start = mangled.data() + 2;
    const char* end = mangled.data() + mangled.size();
    const char* name = std::from_chars(start, end, size).ptr;
    if (name == start || size > static_cast<size_t>(end - name)) return {};
    return {name, size};
}

std::optional<AtomicExtensions> atomic_need_of_name(std::string_view name) {
    std::string_view operation;
    for (const std::string_view prefix : {"atomic_", "atom_"}) {
        if (name.starts_with(prefix)) operation = name.substr(prefix.size());
    }
    if (is_base(operation)) {
        return AtomicExtensions{"cl_khr_global_int32_base_atomics",
                                "cl_khr_local_int32_base_atomics"};
    }
    if (is_extended(operation)) {
        return AtomicExtensions{"cl_khr_global_int32_extended_atomics",
                                "cl_khr_local_int32_extended_atomics"};
    }
    return std::nullopt;
}

std::optional<AtomicNeed> atomic_need(std::string_view mangled) {
    const auto extensions = atomic_need_of_name(plain_name(mangled));
    if (!extensions) return std::nullopt;
    const bool local = mangled.find("PU3AS3") != std::string_view::npos;
    const bool wide = mangled.ends_with('l') || mangled.ends_with('m');
    if (!wide) return AtomicNeed{local ? extensions->local : extensions->global, local};
    const bool base = extensions->global.find("base") != std::string_view::npos;
    return AtomicNeed{base ? "cl_khr_int64_base_atomics" : "cl_khr_int64_extended_atomics", local};
}

uint32_t operation_cost(const Type& type, const CompilerLimits& limits) {
    const uint32_t lanes = std::max(type.lanes, 1U);
    if (type.kind == Type::Kind::floating) {
        const uint32_t width = std::max(limits.float_width, 1U);
        return (lanes + width - 1) / width * (type.bits > 32 ? 4 : 1);
    }
    // 64 bits: two halves, and what passes between them.
    const uint32_t parts = type.kind == Type::Kind::integer && type.bits > 32 ? 4 : 1;
    return parts * (limits.scalar_int ? lanes : (lanes + 3) / 4);
}

uint32_t builtin_cost(const ir::Instruction& call, const CompilerLimits& limits) {
    if (call.callee.starts_with("llvm.")) return intrinsic_cost(call, limits);
    const std::string_view plain = plain_name(call.callee);
    const std::string_view name = plain.empty() ? call.callee : plain;  // printf is not mangled
    if (name.starts_with("convert_")) return conversion_cost(name, call, limits);
    if (name.starts_with("vload") || name.starts_with("vstore")) {
        return vector_access_cost(name, call);
    }
    const auto found = table().find(name);
    return apply(found != table().end() ? found->second : of_family(name), call, limits);
}

}  // namespace glint::layer::compiler
