#include "tests/layer/compiler/budget.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/layer/compiler/builtins.hpp"

namespace glint::layer::compiler {
namespace {

using ir::Function;
using ir::Instruction;
using ir::Type;

bool is_any(std::string_view text, std::initializer_list<std::string_view> texts) {
    return std::ranges::find(texts, text) != texts.end();
}

uint32_t registers_for(const Type& type) {
    return std::max(1U, static_cast<uint32_t>((type.components + 3) / 4));
}

class Counter {
  public:
    Counter(const ir::Module& module, const CompilerLimits& limits)
        : module_(module), limits_(limits) {}

    uint32_t count(const Function& function) {
        if (const auto known = known_.find(function.name); known != known_.end()) {
            return known->second;
        }
        known_[function.name] = 0;  // recursion, which OpenCL C forbids, ends here
        const Users users = users_of(function);
        uint32_t sum = 0;
        for (const ir::Block& block : function.blocks) {
            for (const Instruction& instruction : block.instructions)
                sum += cost(instruction, users);
        }
        return known_[function.name] = sum;
    }

  private:
    /// By value: who makes it, and who reads it.
    struct Users {
        std::vector<const Instruction*> maker;
        std::vector<std::vector<const Instruction*>> readers;
        std::vector<const Instruction*> nobody;

        [[nodiscard]] const std::vector<const Instruction*>& of(const Instruction& i) const {
            return i.value == ir::no_value ? nobody : readers[i.value];
        }
    };

    static Users users_of(const Function& function) {
        Users users;
        users.maker.resize(function.values.size());
        users.readers.resize(function.values.size());
        for (const ir::Block& block : function.blocks) {
            for (const Instruction& instruction : block.instructions) {
                if (instruction.value != ir::no_value)
                    users.maker[instruction.value] = &instruction;
                for (const uint32_t used : instruction.uses) {
                    users.readers[used].push_back(&instruction);
                }
            }
        }
        return users;
    }

    uint32_t cost(const Instruction& i, const Users& users) {
        const std::string& opcode = i.opcode;
        if (opcode == "br") return 1;  // to the next block too: the vendor's order is not known
        if (opcode == "switch") return static_cast<uint32_t>(i.targets.size());  // compare and jump
        if (is_any(opcode, {"phi", "alloca", "unreachable", "freeze", "extractelement", "trunc",
                            "fneg", "inttoptr", "ptrtoint", "addrspacecast", "extractvalue"})) {
            // Coalesced, laid out by the compiler, a source's swizzle, modifier or other name.
            return 0;
        }
        if (opcode == "ret" || opcode == "insertvalue") return 1;
        if (opcode == "call") return call(i);
        if (opcode == "load" || opcode == "store") return registers_for(i.type);
        if (opcode == "getelementptr") return address(i, users);
        if (opcode == "icmp" || opcode == "fcmp") return comparison(i, users);
        if (opcode == "bitcast") return repacking(i);
        if (opcode == "zext" || opcode == "sext") return extension(i, users);
        if (opcode == "insertelement") return insertion(i, users);
        if (opcode == "shufflevector") return shuffle(i);
        return arithmetic(i);
    }

    uint32_t call(const Instruction& i) {
        const Function* callee = module_.find(i.callee);
        return callee != nullptr ? count(*callee) : builtin_cost(i, limits_);
    }

    uint32_t arithmetic(const Instruction& i) const {
        const uint32_t lanes = std::max(i.type.lanes, 1U);
        // Division is a routine: for integers whatever the compiler brings, for floats a reciprocal
        // and a multiplication, with a correction unless relaxed.
        if (is_any(i.opcode, {"udiv", "sdiv", "urem", "srem"})) {
            return 16 * lanes * (i.type.bits > 32 ? 4 : 1);
        }
        if (i.opcode == "fdiv") return (i.fast ? 2 : 6) * lanes;
        if (i.opcode == "frem") return 10 * lanes;
        if (is_any(i.opcode, {"fptosi", "fptoui", "sitofp", "uitofp"})) {
            return limits_.scalar_int ? lanes : (lanes + 3) / 4;
        }
        return operation_cost(i.type, limits_);
    }

    /// A load adds one offset by itself: only an index that varies is multiplied and added.
    static uint32_t address(const Instruction& i, const Users& users) {
        if (i.operands.empty()) return 0;
        uint32_t varying = 0;
        for (size_t at = 1; at < i.operands.size(); ++at) {
            varying += i.operands[at].find('%') != std::string::npos ? 1 : 0;
        }
        const auto& readers = users.of(i);
        const bool bytes = i.operands[0].starts_with("i8") && varying == 1;
        const bool only_accessed = std::ranges::all_of(readers, [](const Instruction* reader) {
            return reader->opcode == "load" || reader->opcode == "store";
        });
        return bytes && only_accessed ? 0 : varying;
    }

    uint32_t comparison(const Instruction& i, const Users& users) const {
        const auto& readers = users.of(i);
        if (readers.size() == 1) {
            const Instruction& reader = *readers.front();
            const bool chooses = reader.opcode == "select" && reader.uses.front() == i.value;
            if (reader.opcode == "br" || chooses) return 0;
        }
        return operation_cost(i.type, limits_);
    }

    /// Between as many lanes as before a new name only; else components are shifted and joined, or
    /// shifted and masked: two instructions for each but the first.
    static uint32_t repacking(const Instruction& i) {
        if (i.type.kind == Type::Kind::pointer || i.operands.empty()) return 0;
        const Type from = ir::type_of_operand(i.operands[0]);
        const uint32_t few = std::min(from.lanes, i.type.lanes);
        const uint32_t many = std::max(from.lanes, i.type.lanes);
        return 2 * (many - few);
    }

    /// A load extends by itself, and a comparison's result is a whole register.
    uint32_t extension(const Instruction& i, const Users& users) const {
        const Type from = i.operands.empty() ? Type{} : ir::type_of_operand(i.operands[0]);
        if (from.bits == 1) return 0;
        const Instruction* maker = i.uses.empty() ? nullptr : users.maker[i.uses.front()];
        if (maker != nullptr && maker->opcode == "load") return 0;
        return operation_cost(i.type, limits_);
    }

    /// Whatever makes a scalar only for this writes it into its place; else it is moved there.
    static uint32_t insertion(const Instruction& i, const Users& users) {
        if (i.operands.size() < 2) return 0;
        const bool first = i.operands[0].ends_with("undef") || i.operands[0].ends_with("poison");
        if (first) return 0;  // a splat, or the place the others join
        if (i.uses.empty() || i.operands[1].find('%') == std::string::npos) return 1;
        return users.readers[i.uses.back()].size() > 1 ? 1 : 0;
    }

    /// One source is a swizzle of whoever reads it; two are brought together, unless integers are
    /// scalar: then each component is read where it is.
    uint32_t shuffle(const Instruction& i) const {
        const std::set<uint32_t> sources(i.uses.begin(), i.uses.end());
        if (sources.size() < 2) return 0;
        if (limits_.scalar_int && i.type.kind == Type::Kind::integer) return 0;
        return 2 * registers_for(i.type);
    }

    const ir::Module& module_;
    const CompilerLimits& limits_;
    std::map<std::string, uint32_t> known_;
};

}  // namespace

std::vector<KernelCost> kernel_costs(const ir::Module& optimized, const CompilerLimits& limits) {
    Counter counter(optimized, limits);
    std::vector<KernelCost> costs;
    for (const Function& function : optimized.functions) {
        if (!function.kernel) continue;
        costs.push_back({function.name, counter.count(function), registers_of(function)});
    }
    return costs;
}

}  // namespace glint::layer::compiler
