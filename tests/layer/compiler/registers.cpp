// Registers: intervals of live values over the instructions in the order of the text.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "tests/layer/compiler/budget.hpp"

namespace glint::layer::compiler {
namespace {

using ir::Function;
using ir::Instruction;
using ir::no_value;

struct Interval {
    uint32_t from = ~0U;
    uint32_t to = 0;
    uint32_t components = 0;
};

/// Where a block's instructions are.
struct Span {
    uint32_t first = 0;
    uint32_t last = 0;
};

class Allocation {
  public:
    explicit Allocation(const Function& function)
        : function_(function),
          intervals_(function.values.size()),
          same_as_(function.values.size()) {
        std::iota(same_as_.begin(), same_as_.end(), 0U);
        number_blocks();
        // Names first: a phi may read a value that the text makes later.
        for (const ir::Block& block : function.blocks) name(block);
        for (const ir::Block& block : function.blocks) walk(block);
        std::ranges::sort(loops_, {}, &Span::last);  // inner ones first
        for (const Span& loop : loops_) extend_over(loop);
    }

    [[nodiscard]] uint32_t registers() const {
        // At each place what begins there, less what ended before.
        std::vector<int64_t> change(static_cast<size_t>(end_) + 2);
        for (size_t i = function_.arguments; i < intervals_.size(); ++i) {
            const Interval& interval = intervals_[i];
            if (interval.from >= interval.to) continue;  // never read
            change[interval.from + 1] += interval.components;
            change[interval.to + 1] -= interval.components;
        }
        int64_t live = 0;
        int64_t peak = 0;
        for (const int64_t step : change) peak = std::max(peak, live += step);
        return static_cast<uint32_t>((peak + 3) / 4 + array_registers_);
    }

  private:
    void number_blocks() {
        uint32_t at = 0;
        for (const ir::Block& block : function_.blocks) {
            const auto size = static_cast<uint32_t>(block.instructions.size());
            spans_[block.label] = {at, at + std::max(size, 1U) - 1};
            at += size;
        }
        end_ = at;
        // The first block's label is not in the text, and nothing jumps there but a phi names it.
        if (!function_.blocks.empty()) entry_ = spans_[function_.blocks.front().label];
    }

    [[nodiscard]] Span span_of(const std::string& label) const {
        const auto found = spans_.find(label);
        return found == spans_.end() ? entry_ : found->second;
    }

    void walk(const ir::Block& block) {
        const Span here = span_of(block.label);
        uint32_t at = here.first;
        for (const Instruction& instruction : block.instructions) {
            make(instruction, at);
            read(instruction, at);
            for (const std::string& target : instruction.targets) {
                const Span to = span_of(target);
                if (to.first <= at) loops_.push_back({to.first, here.last});
            }
            ++at;
        }
    }

    void name(const ir::Block& block) {
        for (const Instruction& i : block.instructions) {
            if (i.value != no_value) same_as_[i.value] = alias_of(i);
        }
    }

    void make(const Instruction& i, uint32_t at) {
        if (i.opcode == "alloca") {
            array_registers_ += static_cast<int64_t>((i.type.components + 3) / 4);
            return;
        }
        if (i.value == no_value) return;
        Interval& own = intervals_[same_as_[i.value]];
        own.from = std::min(own.from, at);
        if (same_as_[i.value] == i.value) own.components = components_of(i);
    }

    /// What is only another name for, a splat of or a start on the first value that it reads.
    [[nodiscard]] uint32_t alias_of(const Instruction& i) const {
        if (i.uses.empty()) return i.value;
        const bool starts = i.opcode == "insertelement" && into_nothing(i);
        const bool splat = i.opcode == "shufflevector" && i.operands.size() > 2 &&
                           i.operands[2].ends_with("zeroinitializer");
        const bool name = i.opcode == "bitcast" || i.opcode == "trunc" || i.opcode == "freeze" ||
                          i.opcode == "addrspacecast" || i.opcode == "inttoptr" ||
                          i.opcode == "ptrtoint";
        const bool offset = i.opcode == "getelementptr" && i.uses.size() == 1 &&
                            i.operands[0].find('%') != std::string::npos;
        return starts || splat || name || offset ? same_as_[i.uses.front()] : i.value;
    }

    static bool into_nothing(const Instruction& i) {
        return i.operands[0].ends_with("undef") || i.operands[0].ends_with("poison");
    }

    [[nodiscard]] uint32_t components_of(const Instruction& i) const {
        const auto all = static_cast<uint32_t>(i.type.components);
        if (i.opcode == "insertelement" && !i.uses.empty()) {
            // A vector that is put together bit by bit takes what is there so far.
            const uint32_t before = intervals_[same_as_[i.uses.front()]].components;
            if (before < all) return before + 1;
        }
        return i.type.lanes == 3 ? 4 : all;
    }

    void read(const Instruction& i, uint32_t at) {
        if (i.opcode != "phi") {
            for (const uint32_t used : i.uses) touch(used, at);
            return;
        }
        // A phi reads at the end of the block that the value comes from.
        for (const auto& [value, label] : i.incoming) {
            if (value != no_value) touch(value, span_of(label).last);
        }
    }

    void touch(uint32_t value, uint32_t at) {
        Interval& interval = intervals_[same_as_[value]];
        interval.from = std::min(interval.from, at);
        interval.to = std::max(interval.to, at);
    }

    void extend_over(const Span& loop) {
        for (Interval& interval : intervals_) {
            if (interval.from < loop.first && interval.to >= loop.first) {
                interval.to = std::max(interval.to, loop.last);
            }
        }
    }

    const Function& function_;
    std::vector<Interval> intervals_;
    std::vector<uint32_t> same_as_;
    std::map<std::string, Span> spans_;
    std::vector<Span> loops_;
    Span entry_;
    uint32_t end_ = 0;
    int64_t array_registers_ = 0;
};

}  // namespace

uint32_t registers_of(const Function& function) {
    return Allocation(function).registers();
}

}  // namespace glint::layer::compiler
