// The OpenCL device under test, and what every part of glint-bench asks of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/gpu/frame_image.hpp"
#include "daemon/gpu/program.hpp"
#include "tools/bench/frames.hpp"
#include "tools/bench/timing.hpp"

namespace glint::bench {

using gpu::Events;

/// The device's own times of commands, in seconds.
struct DeviceTimes {
    double kernels = 0;
    double transfers = 0;  ///< everything that is no kernel
};

/// Work-items of a launch, and of a work-group, in up to two dimensions.
struct Range {
    size_t global[2] = {1, 1};
    size_t local[2] = {1, 1};
};

/// Everything throws gpu::ClError when a call fails.
class Device {
  public:
    explicit Device(gpu::Device device);

    [[nodiscard]] const gpu::Context& context() const { return context_; }
    [[nodiscard]] const gpu::DeviceTraits& traits() const { return context_.device.traits; }
    /// In order, with profiling: for times of kernels.
    [[nodiscard]] cl_command_queue queue() const { return queue_.get(); }
    /// In order, without profiling, as the service's: for times on the wall.
    [[nodiscard]] cl_command_queue plain_queue() const { return plain_queue_.get(); }
    [[nodiscard]] gpu::BinaryCache& cache() { return cache_; }

    /// Whole pages, read-write; filled from `contents` (whole pages too) if there are any.
    [[nodiscard]] gpu::MemHandle buffer(size_t bytes, void* contents = nullptr) const;
    /// In OpenCL C 1.1 unless `options` say otherwise. Throws gpu::BuildError too.
    [[nodiscard]] gpu::BuiltProgram build(std::string_view source,
                                          const std::vector<const char*>& kernels,
                                          const std::string& options = "-cl-std=CL1.1");
    static void enqueue(cl_command_queue queue, cl_kernel kernel, const Range& range,
                        Events* events = nullptr);
    /// Waits for everything in queue().
    void finish() const { gpu::check(clFinish(queue_.get()), "clFinish"); }
    /// Puts what `enqueue(queue, events)` enqueues into queue(), and waits for it.
    template <typename Enqueue>
    [[nodiscard]] DeviceTimes run(const Enqueue& enqueue) const {
        Events events;
        enqueue(queue(), &events);
        finish();
        return times_of(events);
    }

    /// A Contender: run(), all commands together.
    template <typename Enqueue>
    [[nodiscard]] Contender timed_by_device(Enqueue enqueue) const {
        return [this, enqueue = std::move(enqueue)] {
            const DeviceTimes times = run(enqueue);
            return times.kernels + times.transfers;
        };
    }

  private:
    [[nodiscard]] static DeviceTimes times_of(const Events& events);

    gpu::Context context_;
    gpu::QueueHandle queue_;
    gpu::QueueHandle plain_queue_;
    gpu::BinaryCache cache_{""};
};

}  // namespace glint::bench
