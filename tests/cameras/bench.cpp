#include "tests/cameras/bench.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace glint::test {

Machine::Machine() {
    calls.set_memory_node(dma_bufs);
    calls.add("/dev/dma_heap/linux,cma", heap);
}

void Machine::plug(const std::string& name, const std::shared_ptr<fakes::v4l2::Driver>& driver) {
    calls.add(node(name), driver);
    std::ofstream(node(name)).put('\n');
}

void Machine::unplug(const std::string& name) {
    calls.remove(node(name));
    std::filesystem::remove(node(name));
}

Services Machine::services() {
    return {.loop = loop,
            .worker = worker,
            .builder = builder,
            .completion = completion,
            .memory = memory,
            .calls = calls,
            .heaps = {"linux,cma"},
            .gpu = [](Camera&) {},
            .state_changed = [](const Camera&) {},
            .measured = [](const Camera&, const Measurement&) {},
            .gpu_failed = [this](const std::string& why) { gpu_failures.push_back(why); },
            .gpu_refused = [](const std::vector<gpu::Refusal>&) {},
            .gpu_suspect = [](const std::string&, const std::string&) {}};
}

Bench::Bench(Machine& own_machine, const fakes::v4l2::Traits& traits, CameraConfig wanted,
             Services services)
    : machine(own_machine),
      name(wanted.name.empty() ? "video0" : wanted.name),
      driver(std::make_shared<fakes::v4l2::Driver>(traits)) {
    machine.plug(name, driver);
    wanted.name = name;
    wanted.source = "v4l2:" + machine.node(name);
    camera.emplace(std::move(services), wanted);
    camera->listen({.measured = [this](const Measurement& one) { measured.push_back(one); },
                    .changed =
                        [this] {
                            const std::string state = name_of(camera->state());
                            if (states.empty() || states.back() != state) states.push_back(state);
                        },
                    .failed =
                        [this](const Failure& failure) {
                            failures.push_back(
                                fmt::format("{}: {}", failure.name(), failure.what()));
                        }});
}

Bench::~Bench() {
    stop();
}

void Bench::start() {
    camera->start({});
}

std::string Bench::wait_for(CameraState state) {
    return wait([this, state] { return camera->state() == state; });
}

std::string Bench::measure_one(const fakes::v4l2::Frame& frame) {
    const size_t before = measured.size();
    driver->send(frame);
    return wait([this, before] { return measured.size() > before; });
}

void Bench::stop() {
    bool stopped = false;
    camera->stop([&](const std::optional<Failure>&) { stopped = true; });
    (void)fakes::turn_until(machine.loop, [&] { return stopped && camera->at_rest(); });
}

std::shared_ptr<const gpu::Runtime> runtime() {
    static const std::shared_ptr<const gpu::Runtime> made = gpu::bring_up({});
    return made;
}

}  // namespace glint::test
