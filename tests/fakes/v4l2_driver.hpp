// A capture driver that a test scripts: to the code above it a /dev/video node with the rules and
// errors of the kernel's videobuf2, to the test a camera that does what it is told.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fakes/fake_machine.hpp"
#include "tests/fakes/v4l2_controls.hpp"
#include "tests/fakes/v4l2_events.hpp"
#include "tests/fakes/v4l2_formats.hpp"
#include "tests/fakes/v4l2_log.hpp"
#include "tests/fakes/v4l2_queue.hpp"
#include "tests/fakes/v4l2_traits.hpp"

namespace glint::fakes::v4l2 {

/// For fail_next(): calls that are no ioctl.
inline constexpr unsigned long open_call = 1;
inline constexpr unsigned long map_call = 2;

/// Add it to a FakeMachine. Every function may be called on any thread.
///
/// A descriptor is readable exactly while DQBUF or DQEVENT on it has something to say (a frame, an
/// error, an event), and for ever after disconnect(). The kernel tells these apart as POLLIN,
/// POLLERR and POLLPRI, and says POLLERR for a queue that does not stream; an eventfd cannot.
///
/// Without O_NONBLOCK, a DQBUF or DQEVENT that would wait fails with EDEADLK.
/// MMAP memory is named "fake-v4l2" (see live_mappings() in dma_bufs.hpp); of its descriptors one
/// for each buffer is the driver's own, the others are what EXPBUF gave. DMABUF takes
/// descriptors that pass as dma-bufs only: those of EXPBUF, DmaHeap, Udmabuf,
/// export_memory().
class Driver final : public FakeNode {
  public:
    explicit Driver(Traits traits);

    int opened_with(int fd, int flags) override;
    void closed(int fd) override;
    int ioctl(int fd, unsigned long request, void* argument) override;
    int memory_at(off_t offset, size_t bytes, off_t& offset_in_memory) override;

    // What the camera does.
    void add_control(const Control& control);
    /// A frame into the buffer that waits longest; its index. None when no buffer is queued (then
    /// the frame is lost, and its sequence number with it), and when the hardware does not run.
    std::optional<uint32_t> send(const Frame& frame = {});
    /// From now on every call fails with ENODEV, on descriptors that are open and on new ones.
    void disconnect();
    /// DQBUF and QBUF fail with EIO until STREAMOFF.
    void fatal_error();
    /// Another program has the buffers: EBUSY.
    void busy_elsewhere(bool busy);
    /// STREAMON fails with EPIPE, as where a link of the media graph or a format does not fit.
    void break_graph(bool broken);
    /// V4L2_EVENT_SOURCE_CHANGE, with V4L2_EVENT_SRC_CH_RESOLUTION.
    void change_source();
    /// The hardware, or another program, changes a control.
    void change_control(uint32_t id, int64_t value);
    void change_control_flags(uint32_t id, uint32_t flags);
    /// The next `times` calls of `request` (an ioctl, open_call or map_call) fail with `code`, an
    /// errno value, and do nothing.
    void fail_next(unsigned long request, int code, uint32_t times = 1);

    // What the driver sees. OPEN, CLOSE and "MMAP 2" are in the log besides ioctls.
    [[nodiscard]] std::vector<std::string> log() const;
    void clear_log();
    /// As Log::times(): how often a call succeeded, or failed in the way that the text says.
    [[nodiscard]] size_t times(std::string_view text) const;
    /// As Log::missing_in_order(): empty if all is there.
    [[nodiscard]] std::string missing_in_order(std::initializer_list<std::string_view> texts) const;
    /// Called with each entry of the log as it is made, CLOSE included: what it refers to has to
    /// live as long. It may call this driver, not the machine.
    void on_event(std::function<void(const std::string&)> hook);
    [[nodiscard]] size_t live_buffers() const;
    [[nodiscard]] size_t queued_buffers() const;
    [[nodiscard]] size_t open_handles() const;
    [[nodiscard]] bool streaming() const;
    /// Frames since the beginning for which no buffer was queued.
    [[nodiscard]] uint32_t lost_frames() const;
    [[nodiscard]] int64_t control(uint32_t id) const;

  private:
    struct Handle {
        bool nonblocking = false;
        bool readable = false;
        Events events{};
    };
    struct Failure {
        int code;
        uint32_t times;
    };
    /// `argument` is changed on success only, as the kernel copies it back then only.
    template <typename Argument, typename Call>
    static int with(void* argument, Call call);
    [[nodiscard]] int injected(unsigned long request);
    [[nodiscard]] int dispatch(int fd, unsigned long request, void* argument);
    [[nodiscard]] int buffer_call(int fd, unsigned long request, void* argument);
    [[nodiscard]] int format_call(unsigned long request, void* argument);
    [[nodiscard]] int control_call(int fd, unsigned long request, void* argument);
    [[nodiscard]] int event_call(int fd, unsigned long request, void* argument);
    void describe(v4l2_capability& capability) const;
    [[nodiscard]] int subscribe(Handle& handle, const v4l2_event_subscription& subscription) const;
    [[nodiscard]] int set_format(v4l2_format& format);
    [[nodiscard]] int set_interval(v4l2_streamparm& parm);
    void post(const v4l2_event& event, int file);
    void refresh();

    // Recursive: a hook may call the driver.
    mutable std::recursive_mutex mutex_;
    const Traits traits_;
    Formats formats_;
    Queue queue_;
    Controls controls_;
    Log log_;
    std::map<int, Handle> handles_;
    std::map<unsigned long, Failure> failures_;
    bool gone_ = false;
};

}  // namespace glint::fakes::v4l2
