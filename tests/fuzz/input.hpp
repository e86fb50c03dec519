// Values out of a fuzzer's bytes, and what must be true whatever they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

// The fuzzer's name for it; returns 0.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace glint::fuzz {

/// Ends the process, which is how a fuzzer learns of a fault; also in builds without assert().
inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "must hold: %s\n", what);
    std::abort();
}

/// Hands out the bytes from the first to the last.
class Input {
  public:
    Input(const uint8_t* data, size_t size) : bytes_(data, size) {}

    /// Zeros follow the last byte.
    template <typename T>
    [[nodiscard]] T take() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        const size_t size = std::min(sizeof value, bytes_.size());
        if (size != 0) std::memcpy(&value, bytes_.data(), size);
        bytes_ = bytes_.subspan(size);
        return value;
    }
    /// A number below `end`, from one byte.
    [[nodiscard]] size_t below(size_t end) { return take<uint8_t>() % end; }
    [[nodiscard]] std::span<const uint8_t> rest() const { return bytes_; }
    [[nodiscard]] std::string_view rest_text() const {
        return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
    }

  private:
    std::span<const uint8_t> bytes_;
};

}  // namespace glint::fuzz
