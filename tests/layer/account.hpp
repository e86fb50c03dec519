// What the program did: GLINT_LAYER_REPORT.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "tests/layer/functions.hpp"

namespace glint::layer {

struct Objects;

/// How a buffer was asked for.
enum class BufferKind : size_t { use_host_ptr, alloc_host_ptr, copy_host_ptr, plain };
inline constexpr std::array buffer_kinds{"use_host_ptr", "alloc_host_ptr", "copy_host_ptr",
                                         "plain"};

class Account {
  public:
    using Counter = std::atomic<uint64_t>;

    // Bytes that a driver would move; a map or an unmap of the program's own memory moves none.
    Counter bytes_read{0};
    Counter bytes_written{0};
    Counter bytes_copied{0};
    Counter bytes_mapped{0};
    Counter bytes_unmapped{0};
    Counter builds{0};
    Counter builds_refused{0};
    Counter builds_unchecked{0};  ///< clang could not be run
    Counter binary_loads{0};
    Counter buffers_shadowed{0};
    Counter buffers_mapped_in_place{0};
    std::array<Counter, buffer_kinds.size()> buffers{};
    std::array<Counter, functions.size()> calls{};

    void count_launch(const std::string& kernel);
    /// Prints the sentence to stderr the first time, and remembers it with its place.
    void note(std::string_view place, const std::string& error, const std::string& sentence);
    void be_quiet() noexcept { quiet_ = true; }

    /// JSON; `profile` and `memory` say what was played.
    [[nodiscard]] std::string report(const Objects& objects, const std::string& profile,
                                     const std::string& memory, unsigned version) const;

  private:
    struct Note {
        std::string place;
        std::string error;
        uint64_t times = 0;
    };
    mutable std::mutex mutex_;
    std::map<std::string, uint64_t> launches_;
    std::map<std::string, Note> notes_;  ///< by sentence
    bool quiet_ = false;
};

}  // namespace glint::layer
