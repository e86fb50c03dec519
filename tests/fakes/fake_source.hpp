// A source that hands out exactly the frames a test asks for, and counts what is done to it.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>

#include "zero_copy/source.hpp"
#include "zero_copy/unique_fd.hpp"

namespace glint::fakes {

class FakeSource final : public zero_copy::Source {
  public:
    explicit FakeSource(const zero_copy::FrameLayout& layout) : layout_(layout) {}

    [[nodiscard]] const zero_copy::FrameLayout& layout() const noexcept override { return layout_; }
    [[nodiscard]] std::string_view timestamp_source() const noexcept override { return "dequeue"; }
    [[nodiscard]] double rate() const noexcept override { return 30; }

    [[nodiscard]] std::vector<zero_copy::Transport> transports() const override {
        return {zero_copy::Transport::host_pages};
    }
    [[nodiscard]] std::vector<zero_copy::FrameMemory> allocate(zero_copy::Transport,
                                                               uint32_t count) override {
        return zero_copy::host_pages(count, layout_.size_bytes);
    }
    void start(std::span<const zero_copy::FrameMemory> buffers) override {
        if (refuse_start) throw zero_copy::SourceError(zero_copy::SourceError::Kind::busy, "busy");
        ++starts;
        fd_ = zero_copy::UniqueFd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC | EFD_SEMAPHORE));
        for (uint32_t slot = 0; slot < buffers.size(); ++slot) queued.push_back(slot);
    }
    void stop() noexcept override {
        ++stops;
        fd_.reset();
        queued.clear();
    }
    [[nodiscard]] int fd() const noexcept override { return fd_.get(); }
    void queue(uint32_t slot) noexcept override {
        ++queue_calls;
        queued.push_back(slot);
    }
    [[nodiscard]] zero_copy::Dequeued dequeue(zero_copy::Captured& frame) noexcept override {
        uint64_t one = 0;
        if (::read(fd_.get(), &one, sizeof one) != sizeof one) return zero_copy::Dequeued::nothing;
        if (failed) return zero_copy::Dequeued::failed;
        if (queued.empty()) return zero_copy::Dequeued::nothing;
        frame = coming_.front();
        coming_.pop_front();
        frame.slot = queued.front();
        queued.pop_front();
        return zero_copy::Dequeued::frame;
    }
    [[nodiscard]] bool read(const zero_copy::Captured& frame) noexcept override {
        reader = std::this_thread::get_id();
        if (before_read) before_read(frame);
        ++reads;
        return read_succeeds;
    }

    /// The next dequeue() returns this frame, in whatever slot is free.
    void send(const zero_copy::Captured& frame) {
        coming_.push_back(frame);
        wake();
    }
    void send(uint64_t sequence) {
        send({.sequence = sequence, .timestamp_nsec = 1000 + sequence});
    }
    /// The next dequeue() says that the source has failed.
    void break_down() {
        failed = true;
        wake();
    }

    std::deque<uint32_t> queued;  ///< slots that wait to be filled
    uint32_t starts = 0;
    uint32_t stops = 0;
    uint32_t queue_calls = 0;  ///< the initial queueing by start() is not counted
    bool refuse_start = false;
    bool failed = false;
    std::atomic<uint32_t> reads{0};
    std::atomic<bool> read_succeeds{true};
    std::thread::id reader;  ///< of the last read(); look at it once that has been finished
    std::function<void(const zero_copy::Captured&)> before_read;

  private:
    void wake() const {
        const uint64_t one = 1;
        [[maybe_unused]] const ssize_t put = ::write(fd_.get(), &one, sizeof one);
    }

    zero_copy::FrameLayout layout_;
    zero_copy::UniqueFd fd_;
    std::deque<zero_copy::Captured> coming_;
};

}  // namespace glint::fakes
