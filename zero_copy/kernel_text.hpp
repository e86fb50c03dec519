// Texts that drivers put into fixed-size fields of the kernel's structures.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace glint::zero_copy {

/// What is no printable ASCII becomes a question mark: such texts go to the bus, which takes UTF-8
/// only, and to terminals.
[[nodiscard]] inline std::string printable(std::string_view text) {
    std::string result;
    for (const char c : text) result += c >= 0x20 && c < 0x7f ? c : '?';
    return result;
}

/// A field that ends with its first zero, or is full.
template <typename Byte, size_t size>
[[nodiscard]] std::string kernel_text(const Byte (&field)[size]) {
    static_assert(sizeof(Byte) == 1);
    const auto* characters = reinterpret_cast<const char*>(field);
    return printable({characters, ::strnlen(characters, size)});
}

}  // namespace glint::zero_copy
