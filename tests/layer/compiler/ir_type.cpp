#include "tests/layer/compiler/ir_type.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace glint::layer::compiler::ir {
namespace {

bool in_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-$._").find(c) != std::string_view::npos;
}

uint64_t take_number(std::string_view& text) {
    uint64_t number = 0;
    const char* end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return number;
}

std::string_view take_word(std::string_view& text) {
    const size_t size = static_cast<size_t>(std::ranges::find_if_not(text, in_name) - text.begin());
    const std::string_view word = text.substr(0, size);
    text.remove_prefix(size);
    return word;
}

Type scalar(Type::Kind kind, uint32_t bits) {
    return {.kind = kind, .bits = bits, .components = bits > 32 ? bits / 32 : 1};
}

bool all_digits(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

Type type_named(std::string_view word) {
    using Kind = Type::Kind;
    if (word == "void") return {.kind = Kind::other};
    if (word == "half" || word == "bfloat") return scalar(Kind::floating, 16);
    if (word == "float") return scalar(Kind::floating, 32);
    if (word == "double") return scalar(Kind::floating, 64);
    if (word == "ptr") return scalar(Kind::pointer, 32);
    if (word.starts_with('i') && all_digits(word.substr(1))) {
        std::string_view digits = word.substr(1);
        return scalar(Kind::integer, static_cast<uint32_t>(take_number(digits)));
    }
    return {};
}

/// "<4 x i32>" or "[4 x i32]".
Type take_sequence(std::string_view& text, const NamedTypes& named, int depth) {
    const bool vector = text.front() == '<';
    text.remove_prefix(1);
    const uint64_t count = take_number(text);
    text.remove_prefix(std::min<size_t>(text.size(), 3));  // " x "
    Type type = take_type(text, named, depth + 1);
    if (!text.empty()) text.remove_prefix(1);
    type.components *= count;
    if (vector) {
        type.lanes = static_cast<uint32_t>(count);
    } else {
        type = {.kind = Type::Kind::other, .components = type.components};
    }
    return type;
}

/// "{ i32, float }", packed or not.
Type take_structure(std::string_view& text, const NamedTypes& named, int depth) {
    Type type{.kind = Type::Kind::other};
    text.remove_prefix(text.find('{') + 1);
    while (!text.empty() && text.front() != '}') {
        if (text.front() == ' ' || text.front() == ',' || text.front() == '>') {
            text.remove_prefix(1);
            continue;
        }
        const Type member = take_type(text, named, depth + 1);
        if (member.kind == Type::Kind::none) break;
        type.components += member.components;
    }
    const size_t end = text.find('}');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return type;
}

Type take_named(std::string_view& text, const NamedTypes& named, int depth) {
    const size_t size = name_length(text);
    const auto found = named.find(text.substr(0, size));
    // OpenCL's opaque types (images, samplers, events) are declared, but have no body.
    if (found == named.end()) return {};
    text.remove_prefix(size);
    std::string_view body = found->second;
    const Type type = take_type(body, named, depth + 1);
    return type.kind == Type::Kind::none ? Type{.kind = Type::Kind::other} : type;
}

/// "addrspace(1)" and stars behind a type make it a pointer.
Type with_suffixes(Type type, std::string_view& text) {
    for (;;) {
        std::string_view rest = text;
        if (rest.starts_with(" addrspace(")) {
            const size_t end = rest.find(')');
            if (end == std::string_view::npos) return type;
            rest.remove_prefix(end + 1);
            if (type.kind == Type::Kind::pointer && !rest.starts_with('*')) {
                text = rest;  // ptr addrspace(1)
                return type;
            }
        }
        if (!rest.starts_with('*')) return type;
        rest.remove_prefix(1);
        type = scalar(Type::Kind::pointer, 32);
        text = rest;
    }
}

Type take_bare(std::string_view& text, const NamedTypes& named, int depth) {
    if (text.empty() || depth > 16) return {};
    if (text.starts_with("<{") || text.front() == '{') return take_structure(text, named, depth);
    if (text.front() == '[' || text.front() == '<') return take_sequence(text, named, depth);
    if (text.front() == '%') return take_named(text, named, depth);
    std::string_view rest = text;
    const Type type = type_named(take_word(rest));
    if (type.kind != Type::Kind::none) text = rest;
    return type;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    const size_t from = text.find_first_not_of(" \t\r");
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

size_t name_length(std::string_view text) {
    if (text.size() > 1 && text[1] == '"') {
        const size_t end = text.find('"', 2);
        return end == std::string_view::npos ? text.size() : end + 1;
    }
    size_t size = text.empty() ? 0 : 1;
    while (size < text.size() && in_name(text[size])) ++size;
    return size;
}

std::vector<std::string_view> split_commas(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    bool quoted = false;
    size_t start = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
        if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
        if (c != ',' || depth > 0) continue;
        parts.push_back(trimmed(text.substr(start, i - start)));
        start = i + 1;
    }
    if (const auto last = trimmed(text.substr(start)); !last.empty()) parts.push_back(last);
    return parts;
}

Type take_type(std::string_view& text, const NamedTypes& named, int depth) {
    const Type type = take_bare(text, named, depth);
    return type.kind == Type::Kind::none ? type : with_suffixes(type, text);
}

std::string_view from_type(std::string_view text, const NamedTypes& named) {
    while (!text.empty()) {
        std::string_view copy = text;
        if (take_type(copy, named).kind != Type::Kind::none) return text;
        const size_t blank = text.find(' ');
        if (blank == std::string_view::npos) return {};
        text.remove_prefix(blank + 1);
    }
    return {};
}

Type type_of_operand(std::string_view operand) {
    return take_type(operand, {});
}

}  // namespace glint::layer::compiler::ir
