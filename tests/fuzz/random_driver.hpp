// A machine whose capture driver says whatever the fuzzer's bytes make it say, within what the
// kernel itself guarantees: descriptors are real ones, and pointers stay the caller's.
#pragma once

#include <linux/videodev2.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "tests/fuzz/input.hpp"
#include "zero_copy/device_calls.hpp"

namespace glint::fuzz {

/// /dev/video0 and what is around it: heaps, udmabuf, an exporter, a media graph. Each call takes a
/// byte that says whether it is answered as by a sound driver, refused with some errno, or answered
/// with some words of the result changed; the bytes begin anew when they have ended, so a loop that
/// only the driver can end is a hang.
class RandomDriver final : public zero_copy::DeviceCalls {
  public:
    explicit RandomDriver(std::span<const uint8_t> bytes) : bytes_(bytes) {}

    int open(const char* path, int flags) noexcept override;
    void close(int fd) noexcept override;
    int ioctl(int fd, unsigned long request, void* argument) noexcept override;
    void* map(size_t bytes, int fd, off_t offset) noexcept override;
    std::string node_path(zero_copy::NodeNumber number) override;
    std::optional<zero_copy::NodeNumber> node_number(const std::string& path) override;

    [[nodiscard]] size_t open_handles() const { return handles_.size(); }
    /// Of mappings; see fakes::live_mappings().
    static constexpr const char* memory_name = "fuzz-frames";
    [[nodiscard]] bool has_mapped() const { return has_mapped_; }
    /// The largest buffer that the driver has asked for, in bytes.
    [[nodiscard]] uint32_t asked_bytes() const { return asked_bytes_; }

  private:
    // Keeps a frame small, and a run short, but takes several pages.
    static constexpr uint32_t most_width = 256;
    static constexpr uint32_t most_height = 64;
    enum class Mood { sound, refusing, lying };

    template <typename T>
    [[nodiscard]] T take();
    [[nodiscard]] Mood take_mood();
    [[nodiscard]] int take_errno();
    [[nodiscard]] int new_handle(uint64_t bytes);
    [[nodiscard]] static bool multi_planar_argument(const v4l2_buffer& buffer);

    // The answers of a sound driver: as the ioctl returns, or a negative errno value.
    [[nodiscard]] int answer(unsigned long request, void* argument);
    [[nodiscard]] int describe(v4l2_capability& capability);
    [[nodiscard]] int list_format(v4l2_fmtdesc& description) const;
    [[nodiscard]] int format(v4l2_format& format, bool set);
    [[nodiscard]] int interval(v4l2_streamparm& parameters) const;
    [[nodiscard]] int request_buffers(v4l2_requestbuffers& request);
    [[nodiscard]] int create_buffer(v4l2_create_buffers& request);
    [[nodiscard]] int describe_buffer(v4l2_buffer& buffer) const;
    [[nodiscard]] int queue(const v4l2_buffer& buffer);
    [[nodiscard]] int dequeue(v4l2_buffer& buffer);
    [[nodiscard]] int event(v4l2_event& event);
    [[nodiscard]] int control_answer(unsigned long request, void* argument);
    [[nodiscard]] int memory_answer(unsigned long request, void* argument);
    [[nodiscard]] int media_answer(unsigned long request, void* argument);

    void lie(unsigned long request, void* argument);
    void change_words(void* at, size_t bytes);
    void note_asked(const v4l2_format& format);

    std::span<const uint8_t> bytes_;
    size_t at_ = 0;
    std::map<int, uint64_t> handles_;  ///< bytes of a dma-buf, 0 for a node
    int next_handle_ = 1'000'000;      ///< far from real descriptors
    bool multi_planar_ = false;
    v4l2_pix_format format_{.width = most_width, .height = most_height};
    uint32_t buffers_ = 0;
    std::set<uint32_t> queued_;
    bool streaming_ = false;
    uint32_t sequence_ = 0;
    uint32_t asked_bytes_ = 0;
    bool has_mapped_ = false;
};

template <typename T>
T RandomDriver::take() {
    uint8_t raw[sizeof(T)]{};
    for (uint8_t& byte : raw) {
        if (!bytes_.empty()) byte = bytes_[at_++ % bytes_.size()];
    }
    T value{};
    std::memcpy(&value, raw, sizeof value);
    return value;
}

}  // namespace glint::fuzz
