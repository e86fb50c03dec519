// A camera of the service on a fake capture driver: the ground that the camera tests stand on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/camera.hpp"
#include "daemon/gpu/completion.hpp"
#include "daemon/gpu/runtime.hpp"
#include "daemon/stream.hpp"
#include "tests/fakes/dma_bufs.hpp"
#include "tests/fakes/fake_machine.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/fakes/turn.hpp"
#include "tests/fakes/v4l2_driver.hpp"

namespace glint::test {

/// What a machine has besides cameras; shared by all the cameras of a test.
struct Machine {
    Machine();

    /// A node of this name in a folder of its own, where inotify sees it come and go.
    [[nodiscard]] std::string node(const std::string& name) const { return folder.path() / name; }
    void plug(const std::string& name, const std::shared_ptr<fakes::v4l2::Driver>& driver);
    void unplug(const std::string& name);

    fakes::TemporaryFolder folder;
    fakes::FakeMachine calls;
    std::shared_ptr<fakes::DmaBufs> dma_bufs = std::make_shared<fakes::DmaBufs>();
    std::shared_ptr<fakes::DmaHeap> heap = std::make_shared<fakes::DmaHeap>();
    Loop loop;
    Worker worker{loop, "test-worker"};
    Worker builder{loop, "test-builder"};
    gpu::Completion completion{loop};
    MemoryBudget memory{uint64_t{64} << 20};
    std::vector<std::string> gpu_failures;

    [[nodiscard]] Services services();
};

/// One camera with its driver, plugged in and not started.
struct Bench {
    Bench(Machine& machine, const fakes::v4l2::Traits& traits, CameraConfig wanted = {})
        : Bench(machine, traits, std::move(wanted), machine.services()) {}
    Bench(Machine& machine, const fakes::v4l2::Traits& traits, CameraConfig wanted,
          Services services);
    ~Bench();

    void start();
    /// Empty when the condition came true in time; otherwise what the camera is.
    template <typename Condition>
    [[nodiscard]] std::string wait(Condition condition) {
        if (fakes::turn_until(machine.loop, condition)) return {};
        return std::string("in vain; the camera is ") + name_of(camera->state()) + "; " +
               (failures.empty() ? "" : failures.back());
    }
    [[nodiscard]] std::string wait_for(CameraState state);
    /// The driver sends frames until one more has been measured.
    [[nodiscard]] std::string measure_one(const fakes::v4l2::Frame& frame = {});
    void stop();

    Machine& machine;
    std::string name;
    std::shared_ptr<fakes::v4l2::Driver> driver;
    std::optional<Camera> camera;
    std::vector<std::string> failures;  ///< error name and text of each Failed
    std::vector<std::string> states;    ///< in the order in which they were signalled
    std::vector<Measurement> measured;
};

/// The runtime of the machine's OpenCL device, made once for all tests.
[[nodiscard]] std::shared_ptr<const gpu::Runtime> runtime();

}  // namespace glint::test
