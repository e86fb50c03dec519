// Where frames come from: one interface over everything that fills buffers in turn.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "zero_copy/formats.hpp"
#include "zero_copy/frame_memory.hpp"
#include "zero_copy/transport.hpp"

namespace glint::zero_copy {

/// A frame that has left the source's queue.
struct Captured {
    uint32_t slot = 0;
    uint64_t sequence = 0;  ///< the source's own count: a gap means frames that had no buffer
    uint64_t timestamp_nsec = 0;
    int32_t exposure_usec = -1;  ///< -1: the source does not tell
    int32_t gain_raw = -1;       ///< in the source's own unit; -1: it does not tell
    bool corrupt = false;
    bool unread = false;  ///< the pixels are not there yet: call read() on a worker
};

enum class Dequeued { frame, nothing, failed };

/// Why a source could not be opened or started, or has ended.
class SourceError : public std::runtime_error {
  public:
    enum class Kind {
        absent,  ///< not there, or gone: comes back when somebody plugs it in
        busy,    ///< somebody else uses it
        format,  ///< cannot do what the configuration asks: waiting does not help
        broken   ///< an error of the device or its driver: a restart may help
    };
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
    /// Frames per second that are to be expected; 0: unknown.
    [[nodiscard]] virtual double rate() const noexcept = 0;

    /// Whether lost frames are estimated from timestamps, for want of numbers.
    [[nodiscard]] virtual bool losses_estimated() const noexcept { return false; }

    /// What each buffer will take; a driver may want more than the layout.
    [[nodiscard]] virtual size_t buffer_bytes() const noexcept {
        return whole_pages(layout().size_bytes);
    }
    /// The transports that are worth trying, in the order of trying.
    [[nodiscard]] virtual std::vector<Transport> transports() const = 0;
    /// Makes buffers for frames that come by this transport, and the driver knows them then; none
    /// is queued. More or fewer may come than asked for, at least min_buffers. What an earlier call
    /// has made must be gone. Blocking, for a worker. Throws TransportRefused and SourceError.
    [[nodiscard]] virtual std::vector<FrameMemory> allocate(Transport transport,
                                                            uint32_t count) = 0;
    /// Starts filling `buffers`, which allocate() made and all of which are then queued. The memory
    /// must stay until stop(). Throws SourceError or std::system_error.
    virtual void start(std::span<const FrameMemory> buffers) = 0;
    /// Ends filling; nothing is queued afterwards. The next start() counts on from here.
    virtual void stop() noexcept = 0;
    /// Readable when dequeue() has something to say; valid between start() and stop().
    [[nodiscard]] virtual int fd() const noexcept = 0;
    virtual void queue(uint32_t slot) noexcept = 0;
    [[nodiscard]] virtual Dequeued dequeue(Captured& frame) noexcept = 0;
    /// Why dequeue() failed.
    [[nodiscard]] virtual SourceError failure() const {
        return {SourceError::Kind::broken, "the source ended"};
    }
    /// Brings the pixels of a frame that was dequeued as `unread`. Any thread, one call at a time,
    /// in the order of dequeueing. False: the frame is corrupt.
    [[nodiscard]] virtual bool read(const Captured& frame) noexcept = 0;
    /// For list_controls() and set_control(), on any thread, also after the source has gone; null
    /// when there are none.
    [[nodiscard]] virtual std::shared_ptr<const DeviceFd> control_device() const { return nullptr; }
};

/// The media graph that has to be set up before a source streams, in media-ctl's syntax.
struct MediaRequest {
    std::string device;              ///< its path, bus_info, driver or model
    std::vector<std::string> links;  ///< as `media-ctl --links` takes them
    std::vector<std::string> pads;   ///< as `media-ctl --set-v4l2` takes them

    bool operator==(const MediaRequest&) const = default;
};

/// What the configuration says about a source; absent means: the source decides.
struct SourceRequest {
    std::string source;  ///< "test:PATTERN", "file:PATH" or "v4l2:NODE"
    std::optional<uint32_t> width;
    std::optional<uint32_t> height;
    std::optional<PixelFormat> format;
    std::optional<uint32_t> stride_bytes;
    std::optional<double> rate;
    std::optional<Range> range;
    std::vector<std::string> heaps;  ///< where dma-bufs come from, first first
    std::optional<MediaRequest> media;
    std::map<std::string, int64_t> controls;  ///< set at every opening
};

inline constexpr double default_rate = 30.0;
/// One that the source fills, one that is measured, one that waits.
inline constexpr uint32_t min_buffers = 3;
inline constexpr uint32_t max_buffers = 32;

/// What is wrong with the text of a source, with what is allowed; empty when nothing is.
[[nodiscard]] std::string check_source_text(std::string_view source);

/// The file or node whose coming makes a source present; empty for one that is always there.
[[nodiscard]] std::string watched_path(std::string_view source);

/// Opens the source. Blocking. Throws SourceError with what was found and what is possible.
[[nodiscard]] std::unique_ptr<Source> open_source(const SourceRequest& request,
                                                  DeviceCalls& calls = system_calls());

}  // namespace glint::zero_copy
