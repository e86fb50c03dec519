// Reads as much of LLVM's textual IR as judging a kernel takes. Knows typed and opaque pointers
// (clang 14 and later).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glint::layer::compiler::ir {

struct Type {
    enum class Kind { none, integer, floating, pointer, other };
    Kind kind = Kind::none;
    uint32_t bits = 0;        ///< of one lane
    uint32_t lanes = 1;       ///< of a vector
    uint64_t components = 0;  ///< 32-bit components it takes: char and short are stored unpacked
    bool operator==(const Type&) const = default;
};

inline constexpr uint32_t no_value = ~0U;

struct Instruction {
    std::string result;  ///< "%7"; empty if there is none
    std::string opcode;
    Type type;                          ///< the result's; of a store or a comparison its operand's,
                                        ///< of an alloca the allocated type
    bool fast = false;                  ///< relaxed math
    std::string callee;                 ///< name without @
    std::vector<std::string> operands;  ///< text between top-level commas, with types where given
    std::vector<uint32_t> uses;         ///< values read, as indices into Function::values
    std::vector<std::string> targets;   ///< blocks it may go on to
    /// phi: value (or no_value for a constant) and the block it comes from
    std::vector<std::pair<uint32_t, std::string>> incoming;
    uint32_t value = no_value;  ///< index of the result
};

struct Block {
    std::string label;
    std::vector<Instruction> instructions;
};

struct Function {
    std::string name;
    bool kernel = false;
    std::string header;               ///< the define line
    uint32_t arguments = 0;           ///< the first values are the arguments
    std::vector<std::string> values;  ///< names
    std::vector<Block> blocks;        ///< in the order of the text
};

struct Module {
    std::vector<Function> functions;  ///< defined ones
    [[nodiscard]] const Function* find(std::string_view name) const;
};

[[nodiscard]] Module parse(std::string_view text);

/// The type at the start of an operand such as "<4 x i32> %7"; Kind::none if there is none.
[[nodiscard]] Type type_of_operand(std::string_view operand);

}  // namespace glint::layer::compiler::ir
