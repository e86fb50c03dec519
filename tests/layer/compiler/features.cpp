#include "tests/layer/compiler/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "tests/layer/compiler/advice.hpp"
#include "tests/layer/compiler/builtins.hpp"
#include "tests/layer/compiler/source_rules.hpp"

namespace glint::layer::compiler {
namespace {

using ir::Type;

bool is_vector_or_scalar(std::string_view name, std::string_view type) {
    if (!name.starts_with(type)) return false;
    const std::string_view rest = name.substr(type.size());
    return rest.empty() || rest == "2" || rest == "3" || rest == "4" || rest == "8" || rest == "16";
}

class Search {
  public:
    Search(const std::vector<Token>& tokens, const CompilerLimits& limits)
        : tokens_(tokens), limits_(limits) {}

    std::vector<Finding> run(const ir::Module& module) {
        for (const ir::Function& function : module.functions) {
            // An image that is only passed in needs images too.
            if (!limits_.images && function.header.find("image") != std::string::npos &&
                function.header.find("%opencl.image") != std::string::npos) {
                add(missing_image(line_of_image(), "image2d_t", limits_));
            }
            for (const ir::Block& block : function.blocks) {
                for (const ir::Instruction& i : block.instructions) instruction(i, module);
            }
        }
        return std::move(findings_);
    }

  private:
    void instruction(const ir::Instruction& i, const ir::Module& module) {
        if (i.opcode == "call") {
            if (i.callee.starts_with("llvm.lifetime") || i.callee.starts_with("llvm.mem")) return;
            if (module.find(i.callee) == nullptr) call(i.callee);
        }
        // Addresses are computed with indices of any width, and a variable that nobody touches
        // costs nothing.
        if (i.opcode == "getelementptr" || i.opcode == "alloca") return;
        // clang's own, for a ?: between constants: nothing reads it.
        if (i.opcode == "zext" && i.operands.front().starts_with("i1 ")) return;
        types(i);
    }

    void types(const ir::Instruction& i) {
        check(i.type);
        const bool indexed = i.opcode == "extractelement" || i.opcode == "insertelement";
        for (const std::string& operand : i.operands) {
            check(ir::type_of_operand(operand));
            if (indexed) return;
        }
    }

    void check(const Type& type) {
        if (type.kind == Type::Kind::integer && type.bits == 64 && !limits_.int64) {
            add(missing_type(line_of_type({"long", "ulong"}), "long", limits_));
        } else if (type.kind == Type::Kind::floating && type.bits == 64 && !limits_.fp64) {
            add(missing_type(line_of_type({"double"}), "double", limits_));
        } else if (type.kind == Type::Kind::floating && type.bits == 16 && !limits_.fp16) {
            add(missing_type(line_of_type({"half"}), "half", limits_));
        }
    }

    void call(std::string_view mangled) {
        const std::string_view name = plain_name(mangled);
        const auto atomic = atomic_need(mangled);
        if (atomic && !limits_.extensions.contains(std::string(atomic->extension))) {
            add(missing_atomic(line_of(name), name, atomic->local, atomic->extension, limits_));
        }
        const bool writes = name.starts_with("write_image");
        const bool reads = name.starts_with("read_image") || name.starts_with("get_image");
        if ((writes && !(limits_.images && limits_.image_writes)) || (reads && !limits_.images)) {
            add(missing_image(line_of(name), name, limits_));
        }
    }

    void add(Finding finding) {
        if (seen_.insert(finding.subject).second) findings_.push_back(std::move(finding));
    }

    template <typename Matches>
    [[nodiscard]] uint32_t line_where(Matches matches) const {
        const auto found = std::ranges::find_if(tokens_, matches, &Token::text);
        return found == tokens_.end() ? 0 : found->line;
    }
    [[nodiscard]] uint32_t line_of(std::string_view name) const {
        return line_where([name](std::string_view text) { return text == name; });
    }
    [[nodiscard]] uint32_t line_of_type(std::initializer_list<std::string_view> names) const {
        return line_where([names](std::string_view text) {
            return std::ranges::any_of(
                names, [text](std::string_view name) { return is_vector_or_scalar(text, name); });
        });
    }
    [[nodiscard]] uint32_t line_of_image() const {
        return line_where([](std::string_view text) {
            return text.starts_with("image") && text.ends_with("_t");
        });
    }

    const std::vector<Token>& tokens_;
    const CompilerLimits& limits_;
    std::vector<Finding> findings_;
    std::set<std::string> seen_;
};

/// The text between the first two single quotes.
std::string_view quoted(std::string_view message) {
    const size_t from = message.find('\'');
    if (from == std::string_view::npos) return {};
    return message.substr(from + 1, message.find('\'', from + 1) - from - 1);
}

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

Finding explain(uint32_t line, std::string_view message, const CompilerLimits& limits) {
    const std::string_view name = quoted(message);
    if (has(message, "implicit declaration of function") ||
        has(message, "use of undeclared identifier") ||
        has(message, "call to undeclared function")) {
        return undeclared(line, name, limits);
    }
    if (has(message, "double") && has(message, "cl_khr_fp64")) {
        return missing_type(line, "double", limits);
    }
    if (has(message, "half' is not allowed") || has(message, "requires cl_khr_fp16")) {
        return missing_type(line, "half", limits);
    }
    // The source rules say it too, and say what to do.
    const bool inner_local = has(message, "local address space can only be declared in the outer");
    return {
        .line = line,
        .subject = inner_local ? inner_local_subject(line) : fmt::format("{} {}", line, message),
        .vendor = std::string(message),
        .reason = fmt::format("not OpenCL C that {} takes: {}", limits.device, message)};
}

/// The line number in "<stdin>:12:5"; that of an included file says little, but is better than 0.
uint32_t line_in(std::string_view place) {
    const size_t last = place.rfind(':');
    if (last == std::string_view::npos || last == 0) return 0;
    const size_t before = place.rfind(':', last - 1);
    uint32_t line = 0;
    if (before != std::string_view::npos) {
        std::from_chars(place.data() + before + 1, place.data() + last, line);
    }
    return line;
}

}  // namespace

std::vector<Finding> missing_features(const ir::Module& module, const std::vector<Token>& tokens,
                                      const CompilerLimits& limits) {
    return Search(tokens, limits).run(module);
}

std::vector<Finding> missing_by_name(const std::vector<Token>& tokens,
                                     const CompilerLimits& limits) {
    std::vector<Finding> findings;
    std::set<std::string> seen;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
        const auto& [kind, name, line] = tokens[i];
        if (kind != Token::Kind::word) continue;
        if (!limits.int64 &&
            (is_vector_or_scalar(name, "long") || is_vector_or_scalar(name, "ulong"))) {
            if (seen.insert("long").second) findings.push_back(missing_type(line, "long", limits));
            continue;
        }
        if (tokens[i + 1].text != "(") continue;
        const auto need = atomic_need_of_name(name);
        if (!need || limits.extensions.contains(std::string(need->global)) ||
            limits.extensions.contains(std::string(need->local)) || !seen.insert(name).second) {
            continue;
        }
        findings.push_back(missing_atomic(line, name, false, need->global, limits));
    }
    return findings;
}

std::vector<Finding> read_diagnostics(std::string_view errors, const CompilerLimits& limits) {
    std::vector<Finding> findings;
    for (size_t at = 0; at < errors.size();) {
        const size_t end = std::min(errors.find('\n', at), errors.size());
        const std::string_view line = errors.substr(at, end - at);
        at = end + 1;
        for (const std::string_view mark : {": error: ", ": fatal error: "}) {
            const size_t found = line.find(mark);
            if (found == std::string_view::npos) continue;
            // "clang: error: ..." is about how it was called, not about the program.
            const uint32_t number = line_in(line.substr(0, found));
            if (number == 0) break;
            findings.push_back(explain(number, line.substr(found + mark.size()), limits));
            break;
        }
    }
    return findings;
}

}  // namespace glint::layer::compiler
