// Where frames come from: one interface over everything that fills buffers in turn.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "zero_copy/formats.hpp"
#include "zero_copy/frame_memory.hpp"

namespace glint::zero_copy {

/// A frame that has left the source's queue.
struct Captured {
    uint32_t slot = 0;
    uint64_t sequence = 0;  ///< the source's own count: a gap means frames that had no buffer
    uint64_t timestamp_nsec = 0;
    bool corrupt = false;
    bool unread = false;  ///< the pixels are not there yet: call read() on a worker
};

enum class Dequeued { frame, nothing, failed };

/// Why a source could not be opened or started.
class SourceError : public std::runtime_error {
  public:
    enum class Kind { absent, busy, format };
    SourceError(Kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
    [[nodiscard]] Kind kind() const noexcept { return kind_; }

  private:
    Kind kind_;
};

/// Open on a worker; everything but read() belongs to the loop thread afterwards.
class Source {
  public:
    Source() = default;
    virtual ~Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    [[nodiscard]] virtual const FrameLayout& layout() const noexcept = 0;
    /// "start-of-exposure", "end-of-frame" or "dequeue".
    [[nodiscard]] virtual std::string_view timestamp_source() const noexcept = 0;
    /// Frames per second that are to be expected.
    [[nodiscard]] virtual double rate() const noexcept = 0;

    /// Starts filling `buffers`, all of which are then queued. The memory must stay until stop().
    /// Throws SourceError or std::system_error.
    virtual void start(std::span<const FrameMemory> buffers) = 0;
    /// Ends filling; nothing is queued afterwards. The next start() counts on from here.
    virtual void stop() noexcept = 0;
    /// Readable when dequeue() has something to say; valid between start() and stop().
    [[nodiscard]] virtual int fd() const noexcept = 0;
    virtual void queue(uint32_t slot) noexcept = 0;
    [[nodiscard]] virtual Dequeued dequeue(Captured& frame) noexcept = 0;
    /// Brings the pixels of a frame that was dequeued as `unread`. Any thread, one call at a time,
    /// in the order of dequeueing. False: the frame is corrupt.
    [[nodiscard]] virtual bool read(const Captured& frame) noexcept = 0;
};

/// What the configuration says about a source; absent means: the source decides.
struct SourceRequest {
    std::string source;  ///< "test:PATTERN" or "file:PATH"
    std::optional<uint32_t> width;
    std::optional<uint32_t> height;
    std::optional<PixelFormat> format;
    std::optional<uint32_t> stride_bytes;
    std::optional<double> rate;
    std::optional<Range> range;
};

inline constexpr double default_rate = 30.0;

/// What is wrong with the text of a source, with what is allowed; empty when nothing is.
[[nodiscard]] std::string check_source_text(std::string_view source);

/// Opens the source. Blocking. Throws SourceError with what was found and what is possible.
[[nodiscard]] std::unique_ptr<Source> open_source(const SourceRequest& request);

}  // namespace glint::zero_copy
