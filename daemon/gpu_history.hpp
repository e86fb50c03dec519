// What the service remembers about the GPU across restarts: a small file in the state directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace glint {

/// Counts the times in a row that the service ended because of the GPU. Another boot or ten healthy
/// minutes start anew. A file that cannot be read counts as empty, one that
/// cannot be written costs the memory, not the service. Nothing throws.
class GpuHistory {
  public:
    /// `file` empty: nothing is remembered.
    explicit GpuHistory(std::filesystem::path file);

    /// Ends in a row up to now, the last process's included if it died between record_use() and
    /// record_healthy() or record_clean_stop().
    [[nodiscard]] uint32_t failures() const noexcept { return failures_; }
    /// Before the first OpenCL call: from here on an end without notice is a failure.
    void record_use() noexcept;
    void record_stall() noexcept;
    void record_healthy() noexcept;
    void record_clean_stop() noexcept;

  private:
    void write(const char* phase) noexcept;

    std::filesystem::path file_;
    std::string boot_id_;
    uint32_t failures_ = 0;
};

/// After this many the CPU serves.
inline constexpr uint32_t max_gpu_failures = 2;

}  // namespace glint
