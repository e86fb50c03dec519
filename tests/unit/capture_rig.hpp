// A capture source over the scripted driver, opened as the service opens it: what the V4L2 tests
// stand on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/fakes/dma_bufs.hpp"
#include "tests/fakes/fake_machine.hpp"
#include "tests/fakes/v4l2_driver.hpp"
#include "zero_copy/v4l2_source.hpp"

namespace glint::test {

/// What `action` throws: "<absent> TEXT" and so on for a SourceError, "<refused> TEXT" for a
/// TransportRefused.
template <typename Action>
[[nodiscard]] std::string refusal(Action action) {
    using Kind = zero_copy::SourceError::Kind;
    try {
        action();
    } catch (const zero_copy::SourceError& error) {
        const Kind kind = error.kind();
        const char* const name = kind == Kind::absent   ? "<absent> "
                                 : kind == Kind::busy   ? "<busy> "
                                 : kind == Kind::format ? "<format> "
                                                        : "<broken> ";
        return std::string(name) + error.what();
    } catch (const zero_copy::TransportRefused& error) {
        return std::string("<refused> ") + error.what();
    }
    return "[nothing was thrown]";
}

/// A driver whose answers a test changes.
class Altered final : public fakes::FakeNode {
  public:
    /// In the place of an ioctl; `driver()` is what the driver makes of it. Negative errno values.
    using Hook = std::function<int(unsigned long request, void* argument,
                                   const std::function<int()>& driver)>;
    Altered(std::shared_ptr<fakes::FakeNode> behind, Hook hook)
        : behind_(std::move(behind)), hook_(std::move(hook)) {}

    int opened_with(int fd, int flags) override { return behind_->opened_with(fd, flags); }
    void closed(int fd) override { behind_->closed(fd); }
    int ioctl(int fd, unsigned long request, void* argument) override {
        return hook_(request, argument, [&] { return behind_->ioctl(fd, request, argument); });
    }
    int memory_at(off_t offset, size_t bytes, off_t& inside) override {
        return behind_->memory_at(offset, bytes, inside);
    }

  private:
    std::shared_ptr<fakes::FakeNode> behind_;
    Hook hook_;
};

/// Any size of picture, from 16x16.
[[nodiscard]] inline fakes::v4l2::Traits any_size(fakes::v4l2::Traits traits) {
    traits.sizes.clear();
    return traits;
}

struct CaptureRig {
    static constexpr const char* node = "/dev/video0";
    static constexpr const char* heap_name = "linux,cma";

    explicit CaptureRig(const fakes::v4l2::Traits& traits)
        : driver(std::make_shared<fakes::v4l2::Driver>(traits)) {
        machine.add(node, driver);
        machine.add(std::string("/dev/dma_heap/") + heap_name, heap);
        machine.set_memory_node(dma_bufs);
        request.heaps = {heap_name};
    }

    void alter(Altered::Hook hook) {
        machine.add(node, std::make_shared<Altered>(driver, std::move(hook)));
    }
    void open() { source = std::make_unique<zero_copy::V4l2Source>(machine, node, request); }
    void allocate(zero_copy::Transport transport, uint32_t count = 4) {
        buffers = source->allocate(transport, count);
    }
    void start() { source->start(buffers); }
    /// All of the above.
    void run(zero_copy::Transport transport = zero_copy::Transport::mmap, uint32_t count = 4) {
        open();
        allocate(transport, count);
        start();
    }
    /// Stops and takes everything down, in the service's order.
    void close() {
        if (source != nullptr) source->stop();
        buffers.clear();
        source.reset();
    }
    /// A frame of the camera's, dequeued. None: there was nothing to dequeue, or it failed.
    std::optional<zero_copy::Captured> frame(const fakes::v4l2::Frame& sent = {}) {
        driver->send(sent);
        zero_copy::Captured captured;
        if (source->dequeue(captured) != zero_copy::Dequeued::frame) return std::nullopt;
        return captured;
    }
    [[nodiscard]] zero_copy::Dequeued dequeue() const {
        zero_copy::Captured captured;
        return source->dequeue(captured);
    }
    /// Whether a slot holds what the driver writes as frame `sequence`.
    [[nodiscard]] bool shows(uint32_t slot, uint32_t sequence) const {
        for (size_t i = 0; i < source->layout().size_bytes; ++i) {
            if (buffers[slot].data()[i] != fakes::v4l2::pattern(sequence, i)) return false;
        }
        return true;
    }
    /// Empty when nothing of a source is left behind, else what is.
    [[nodiscard]] std::string remains() const {
        std::string text;
        const auto note = [&](const char* what, size_t count) {
            if (count != 0) text += std::to_string(count) + ' ' + what + ' ';
        };
        note("open handles", driver->open_handles());
        note("open nodes", machine.open_count());
        note("live buffers", driver->live_buffers());
        note("mappings", fakes::live_mappings("fake-v4l2") + fakes::live_mappings("fake-dma-heap"));
        note("descriptors",
             fakes::live_descriptors("fake-v4l2") + fakes::live_descriptors("fake-dma-heap"));
        return text;
    }

    std::shared_ptr<fakes::v4l2::Driver> driver;
    std::shared_ptr<fakes::DmaHeap> heap = std::make_shared<fakes::DmaHeap>();
    std::shared_ptr<fakes::DmaBufs> dma_bufs = std::make_shared<fakes::DmaBufs>();
    fakes::FakeMachine machine;
    zero_copy::SourceRequest request;
    std::unique_ptr<zero_copy::V4l2Source> source;
    std::vector<zero_copy::FrameMemory> buffers;
};

}  // namespace glint::test
