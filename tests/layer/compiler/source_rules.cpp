#include "tests/layer/compiler/source_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <span>
#include <string>

namespace glint::layer::compiler {
namespace {

constexpr std::string_view inner_local = "'__local' variable in an inner scope";

std::string subject(uint32_t line, std::string_view what) {
    return fmt::format("rule {} {}", line, what);
}

using Tokens = std::span<const Token>;

bool is(const Token& token, std::string_view text) {
    return token.text == text;
}
bool is_any(const Token& token, std::initializer_list<std::string_view> texts) {
    return std::ranges::find(texts, token.text) != texts.end();
}
bool is_word(const Token& token) {
    return token.kind == Token::Kind::word;
}
bool is_attribute(const Token& token) {
    return is_any(token, {"__attribute__", "__attribute"});
}
bool is_kernel(const Token& token) {
    return is_any(token, {"__kernel", "kernel"});
}
bool is_local(const Token& token) {
    return is_any(token, {"__local", "local"});
}

/// The place of the bracket that closes the one at `open`, or the end.
size_t closing(Tokens tokens, size_t open) {
    int depth = 0;
    for (size_t i = open; i < tokens.size(); ++i) {
        if (is_any(tokens[i], {"(", "{", "["})) ++depth;
        if (is_any(tokens[i], {")", "}", "]"}) && --depth == 0) return i;
    }
    return tokens.size();
}

/// A function's tokens before its body, cut apart.
struct Head {
    const Token* kernel = nullptr;
    const Token* early_attribute = nullptr;  ///< one that comes before __kernel
    const Token* inlined = nullptr;
    const Token* name = nullptr;
    Tokens parameters;  ///< between the brackets
};

Head read_head(Tokens tokens) {
    Head head;
    const Token* attribute = nullptr;
    for (size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (is_attribute(token)) {
            if (attribute == nullptr) attribute = &token;
            if (i + 1 < tokens.size()) i = closing(tokens, i + 1);
        } else if (is_kernel(token)) {
            head.kernel = &token;
            head.early_attribute = attribute;
        } else if (is_any(token, {"inline", "__inline", "__inline__"})) {
            head.inlined = &token;
        } else if (is(token, "(") && i > 0 && is_word(tokens[i - 1])) {
            const size_t end = closing(tokens, i);
            head.name = &tokens[i - 1];
            head.parameters = tokens.subspan(i + 1, end - i - (end < tokens.size() ? 1 : 2));
            return head;
        }
    }
    return head;
}

class Rules {
  public:
    Rules(Tokens tokens, std::string_view device) : tokens_(tokens), device_(device) {}

    std::vector<Finding> run() {
        each_token();
        size_t start = 0;
        for (size_t i = 0; i < tokens_.size(); ++i) {
            if (is_any(tokens_[i], {"(", "["})) {
                i = closing(tokens_, i);
            } else if (is(tokens_[i], ";")) {
                function(tokens_.subspan(start, i - start), {});
                start = i + 1;
            } else if (is(tokens_[i], "{")) {
                const size_t end = closing(tokens_, i);
                const Tokens body = tokens_.subspan(i, std::min(end + 1, tokens_.size()) - i);
                // An initialiser or a structure goes on to its semicolon.
                if (function(tokens_.subspan(start, i - start), body)) start = end + 1;
                i = end;
            }
        }
        std::ranges::stable_sort(findings_, {}, &Finding::line);
        return std::move(findings_);
    }

  private:
    void found(const Token& at, std::string vendor, std::string reason) {
        findings_.push_back({at.line, subject(at.line, vendor), vendor,
                             fmt::format("{}'s front end {}", device_, reason)});
    }

    /// False if `head` is not a function's.
    bool function(Tokens tokens, Tokens body) {
        const Head head = read_head(tokens);
        if (head.name == nullptr) return false;
        if (head.parameters.size() == 1 && is(head.parameters[0], "void")) {
            found(*head.name, fmt::format("syntax error at '{}(void)'", head.name->text),
                  fmt::format("does not take '(void)': write '{}()'", head.name->text));
        }
        if (head.early_attribute != nullptr) {
            found(*head.early_attribute, "syntax error at '__attribute__'",
                  "wants '__kernel' first: move '__attribute__' behind it");
        }
        if (head.kernel != nullptr) {
            kernel(head, body);
        } else if (head.inlined != nullptr && !body.empty()) {
            found(*head.inlined, fmt::format("undefined function '{}'", head.name->text),
                  fmt::format("loses inline helper functions: make '{}' a macro over scalars, or "
                              "write it out",
                              head.name->text));
        }
        return true;
    }

    void kernel(const Head& head, Tokens body) {
        if (body.empty()) return;
        const auto says_nothing = [](const Token& t) { return is_any(t, {"{", "}", ";"}); };
        if (std::ranges::all_of(body, says_nothing)) {
            found(*head.name, fmt::format("kernel '{}' has no body", head.name->text),
                  fmt::format("does not take empty kernels: leave '{}' out or let it write "
                              "something",
                              head.name->text));
        }
        inner_locals(body);
    }

    void inner_locals(Tokens body) {
        int depth = 0;
        for (size_t i = 0; i < body.size(); ++i) {
            if (is(body[i], "{")) ++depth;
            if (is(body[i], "}")) --depth;
            if (depth < 2 || !is_local(body[i])) continue;
            if (is_any(body[i - 1], {"(", ",", "*", "<"})) continue;  // a cast, or a pointer's own
            if (!declares_variable(body.subspan(i))) continue;
            found(body[i], std::string(inner_local),
                  "knows '__local' variables only at the top of a kernel: move it out of the inner "
                  "braces");
        }
    }

    /// As against a pointer to local memory, which may be declared anywhere.
    static bool declares_variable(Tokens tokens) {
        for (const Token& token : tokens) {
            if (is(token, "*")) return false;
            if (is_any(token, {";", "=", "[", ",", "(", ")"})) return true;
        }
        return true;
    }

    void each_token() {
        for (size_t i = 0; i < tokens_.size(); ++i) {
            const Token& token = tokens_[i];
            if (is_any(token, {"vec_type_hint", "__vec_type_hint__"})) {
                found(token, "unknown attribute 'vec_type_hint'",
                      "does not know vec_type_hint: leave the attribute out");
            } else if (token.kind == Token::Kind::number) {
                number(token);
            } else if (is_word(token)) {
                three_elements(i);
            }
        }
    }

    void three_elements(size_t at) {
        if (!three_.contains(tokens_[at].text)) return;
        const auto sign = [&](size_t i) { return i < tokens_.size() ? tokens_[i].text : ""; };
        size_t next = at + 1;
        while (next < tokens_.size() && is_any(tokens_[next], {"const", "volatile", "restrict"})) {
            ++next;
        }
        const bool named = next < tokens_.size() && is_word(tokens_[next]);
        if (named && at > 0 && is(tokens_[at - 1], "typedef")) three_.insert(tokens_[next].text);
        if (sign(next) != "*" && !(named && sign(next + 1) == "[")) return;
        const std::string& type = tokens_[at].text;
        found(tokens_[at], fmt::format("unsupported type '{}' in memory", type),
              fmt::format("lays out '{}' in memory its own way: use four elements, or vload3 and "
                          "vstore3 on scalars",
                          type));
    }

    void number(const Token& token) {
        if (!is_64_bit(token.text)) return;
        found(token, fmt::format("64-bit literal '{}'", token.text),
              fmt::format("takes no 64-bit literals: write '{}' as 32-bit numbers", token.text));
    }

    /// A suffix l, or more than fits: a decimal number without suffix has to fit an int.
    static bool is_64_bit(const std::string& text) {
        const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        if (text.find_first_of(hexadecimal ? ".pP" : ".eEfF") != std::string::npos) return false;
        if (text.find_first_of("lL") != std::string::npos) return true;
        const int base = hexadecimal ? 16 : text[0] == '0' ? 8 : 10;
        const char* start = text.data() + (hexadecimal ? 2 : 0);
        uint64_t value = 0;
        const auto end = std::from_chars(start, text.data() + text.size(), value, base);
        if (end.ec == std::errc::result_out_of_range) return true;
        const bool is_unsigned = text.find_first_of("uU") != std::string::npos;
        return value > (base == 10 && !is_unsigned ? 0x7fffffffU : 0xffffffffU);
    }

    Tokens tokens_;
    std::string_view device_;
    std::vector<Finding> findings_;
    std::set<std::string> three_ = {"char3", "uchar3", "short3", "ushort3", "int3", "uint3",
                                    "long3", "ulong3", "float3", "double3", "half3"};
};

}  // namespace

std::vector<Finding> broken_rules(const std::vector<Token>& tokens, std::string_view device) {
    return Rules(tokens, device).run();
}

std::string inner_local_subject(uint32_t line) {
    return subject(line, inner_local);
}

}  // namespace glint::layer::compiler
