#include "tests/layer/compiler/ir.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tests/layer/compiler/ir_type.hpp"

namespace glint::layer::compiler::ir {
namespace {

bool is_any(std::string_view text, std::initializer_list<std::string_view> texts) {
    return std::ranges::find(texts, text) != texts.end();
}

bool is_cast(std::string_view opcode) {
    return is_any(opcode, {"trunc", "zext", "sext", "fptrunc", "fpext", "fptosi", "fptoui",
                           "sitofp", "uitofp", "bitcast", "addrspacecast", "inttoptr", "ptrtoint"});
}

std::string_view take_blank_word(std::string_view& text) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

/// Without ", !tbaa !5" and what else is attached.
std::string_view without_metadata(std::string_view text) {
    bool quoted = false;
    for (size_t i = 0; i + 2 < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (!quoted && text.substr(i, 3) == ", !") return text.substr(0, i);
    }
    return text;
}

/// The place of the bracket that closes the one at `open`, or the end.
size_t closing_bracket(std::string_view text, size_t open) {
    int depth = 0;
    for (size_t i = open; i < text.size(); ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')' && --depth == 0) return i;
    }
    return text.size();
}

std::vector<std::string> copies(const std::vector<std::string_view>& parts) {
    return {parts.begin(), parts.end()};
}

void read_targets(std::string_view text, Instruction& instruction) {
    constexpr std::string_view mark = "label %";
    for (size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
        const std::string_view name = text.substr(at + mark.size() - 1);
        instruction.targets.emplace_back(name.substr(1, name_length(name) - 1));
    }
}

class InstructionReader {
  public:
    InstructionReader(std::string_view text, const NamedTypes& named)
        : rest_(text), named_(named) {}

    Instruction read() {
        if (rest_.starts_with('%')) {
            const size_t size = name_length(rest_);
            instruction_.result = rest_.substr(0, size);
            rest_.remove_prefix(std::min(size + 3, rest_.size()));  // " = "
        }
        std::string_view opcode = take_blank_word(rest_);
        if (is_any(opcode, {"tail", "musttail", "notail"})) opcode = take_blank_word(rest_);
        instruction_.opcode = opcode;
        body();
        return std::move(instruction_);
    }

  private:
    void body() {
        const std::string& opcode = instruction_.opcode;
        if (opcode == "phi") return phi();
        if (opcode == "call") return call();
        if (is_cast(opcode)) return cast();
        if (is_any(opcode, {"br", "switch", "indirectbr"})) read_targets(rest_, instruction_);
        if (opcode == "switch") rest_ = rest_.substr(0, rest_.find('['));
        const std::string_view typed = from_type(rest_, named_);
        note_fast(rest_.substr(0, rest_.size() - typed.size()));
        instruction_.operands = copies(split_commas(typed));
        instruction_.type = result_type();
    }

    Type result_type() {
        auto& operands = instruction_.operands;
        const std::string& opcode = instruction_.opcode;
        if (operands.empty()) return {};
        if (opcode == "getelementptr") {
            operands.erase(operands.begin());
            return {.kind = Type::Kind::pointer, .bits = 32, .components = 1};
        }
        if (opcode == "select" && operands.size() > 1) return type_of(operands[1]);
        const Type first = type_of(operands[0]);
        if (opcode == "load" || opcode == "alloca") operands.erase(operands.begin());
        if (opcode == "extractelement") return with_lanes(first, 1);
        if (opcode == "shufflevector" && operands.size() > 2) {
            return with_lanes(first, type_of(operands[2]).lanes);
        }
        return first;
    }

    static Type with_lanes(Type type, uint32_t lanes) {
        type.components = type.components / std::max(type.lanes, 1U) * lanes;
        type.lanes = lanes;
        return type;
    }

    void phi() {
        std::string_view text = from_type(rest_, named_);
        instruction_.type = take_type(text, named_);
        instruction_.operands = copies(split_commas(text));
    }

    void call() {
        const size_t at = rest_.find('@');
        if (at == std::string_view::npos) return;
        note_fast(rest_.substr(0, at));
        const std::string_view type = from_type(rest_.substr(0, at), named_);
        instruction_.type = type_of(type);
        const size_t size = name_length(rest_.substr(at));
        instruction_.callee = rest_.substr(at + 1, size - 1);
        const size_t open = at + size;
        const size_t end = closing_bracket(rest_, open);
        if (open + 1 >= end) return;
        instruction_.operands = copies(split_commas(rest_.substr(open + 1, end - open - 1)));
    }

    void cast() {
        const size_t to = rest_.rfind(" to ");
        if (to == std::string_view::npos) return;
        instruction_.operands.emplace_back(from_type(rest_.substr(0, to), named_));
        instruction_.type = type_of(rest_.substr(to + 4));
    }

    void note_fast(std::string_view words) {
        while (!words.empty()) {
            if (is_any(take_blank_word(words), {"fast", "arcp", "afn"})) instruction_.fast = true;
        }
    }

    [[nodiscard]] Type type_of(std::string_view text) const { return take_type(text, named_); }

    Instruction instruction_;
    std::string_view rest_;
    const NamedTypes& named_;
};

class FunctionReader {
  public:
    FunctionReader(std::string_view header, const NamedTypes& named) : named_(named) {
        function_.header = header;
        function_.kernel = header.find(" spir_kernel ") != std::string_view::npos;
        const size_t at = std::min(header.find('@'), header.size());
        const size_t size = name_length(header.substr(at));
        function_.name = header.substr(std::min(at + 1, header.size()), size > 0 ? size - 1 : 0);
        read_arguments(header, at + size);
        function_.blocks.emplace_back();
    }

    void line(std::string_view text) {
        if (!text.starts_with(' ')) return label(text);
        const std::string_view words = trimmed(text);
        if (!pending_.empty()) {  // inside a switch
            pending_ += ' ';
            pending_ += words;
            if (words.starts_with(']')) add(std::exchange(pending_, {}));
        } else if (words.starts_with("switch") && words.find(']') == std::string_view::npos) {
            pending_ = words;
        } else if (!words.empty() && words.front() != ';' && words.front() != '#') {
            add(words);
        }
    }

    Function finish() {
        for (Block& block : function_.blocks) {
            for (Instruction& instruction : block.instructions) resolve(instruction);
        }
        return std::move(function_);
    }

  private:
    void read_arguments(std::string_view header, size_t open) {
        const size_t end = closing_bracket(header, open);
        if (open + 1 >= end) return;
        for (const auto argument : split_commas(header.substr(open + 1, end - open - 1))) {
            if (const size_t at = argument.rfind('%'); at != std::string_view::npos) {
                new_value(std::string(argument.substr(at)));
            }
        }
        function_.arguments = static_cast<uint32_t>(function_.values.size());
    }

    void label(std::string_view text) {
        const size_t end = text.find(':');
        if (end == std::string_view::npos) return;
        if (function_.blocks.back().instructions.empty()) function_.blocks.pop_back();
        function_.blocks.push_back({std::string(text.substr(0, end)), {}});
    }

    void add(std::string_view text) {
        Instruction instruction = InstructionReader(without_metadata(text), named_).read();
        if (!instruction.result.empty()) instruction.value = new_value(instruction.result);
        function_.blocks.back().instructions.push_back(std::move(instruction));
    }

    uint32_t new_value(const std::string& name) {
        const auto index = static_cast<uint32_t>(function_.values.size());
        function_.values.push_back(name);
        indices_[name] = index;
        return index;
    }

    void resolve(Instruction& instruction) {
        for (const std::string& operand : instruction.operands) {
            for (size_t at = operand.find('%'); at != std::string::npos;) {
                const std::string_view rest = std::string_view(operand).substr(at);
                const size_t size = name_length(rest);
                const auto found = indices_.find(std::string(rest.substr(0, size)));
                if (found != indices_.end()) instruction.uses.push_back(found->second);
                at = operand.find('%', at + size);
            }
            if (instruction.opcode == "phi") resolve_incoming(operand, instruction);
        }
    }

    /// "[ %7, %block ]"
    void resolve_incoming(std::string_view operand, Instruction& instruction) {
        const size_t label = operand.rfind('%');
        if (label == std::string_view::npos || operand.size() < 4) return;
        const std::string_view name = operand.substr(label);
        const std::string_view value = trimmed(operand.substr(1, operand.rfind(',') - 1));
        const auto found = indices_.find(std::string(value));
        instruction.incoming.emplace_back(found == indices_.end() ? no_value : found->second,
                                          name.substr(1, name_length(name) - 1));
    }

    Function function_;
    std::unordered_map<std::string, uint32_t> indices_;
    std::string pending_;
    const NamedTypes& named_;
};

NamedTypes read_named_types(std::string_view text) {
    NamedTypes named;
    constexpr std::string_view mark = " = type ";
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (line.starts_with("define")) break;
        const size_t equals = line.find(mark);
        if (!line.starts_with('%') || equals == std::string_view::npos) continue;
        named.emplace(line.substr(0, equals), line.substr(equals + mark.size()));
    }
    return named;
}

}  // namespace

const Function* Module::find(std::string_view name) const {
    const auto found = std::ranges::find(functions, name, &Function::name);
    return found == functions.end() ? nullptr : &*found;
}

Module parse(std::string_view text) {
    const NamedTypes named = read_named_types(text);
    Module module;
    std::vector<FunctionReader> open;  // one at most
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (line.starts_with("define ")) {
            open.emplace_back(line, named);
        } else if (open.empty()) {
            continue;
        } else if (line.starts_with('}')) {
            module.functions.push_back(open.back().finish());
            open.clear();
        } else {
            open.back().line(line);
        }
    }
    return module;
}

}  // namespace glint::layer::compiler::ir
