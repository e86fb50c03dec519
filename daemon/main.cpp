// glintd: wiring only.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdlib>

#include "daemon/bus/service.hpp"
#include "daemon/cameras.hpp"
#include "daemon/gpu/completion.hpp"
#include "daemon/gpu_owner.hpp"
#include "daemon/log.hpp"
#include "daemon/loop.hpp"
#include "daemon/memory_budget.hpp"
#include "daemon/names.hpp"
#include "daemon/probe.hpp"
#include "daemon/settings.hpp"
#include "daemon/supervisor.hpp"
#include "daemon/wiring.hpp"
#include "daemon/worker.hpp"

namespace glint {
namespace {

struct Arguments {
    std::vector<std::string> config_files;
    std::string check_config;
    bool probe = false;
    bool json = false;
};

/// Before any thread exists, so that the drivers' threads inherit the mask and every signal comes
/// to the loop.
void block_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
}

std::filesystem::path history_file() {
    const std::string folder = folder_from(names::env_state_directory, "");
    return folder.empty() ? std::filesystem::path() : std::filesystem::path(folder) / "gpu-history";
}

int serve(Settings& settings) {
    Loop loop;
    Worker worker(loop, "glintd-worker");
    Worker builder(loop, "glintd-builder");
    gpu::Completion completion(loop);
    const Config& config = settings.in_force();
    MemoryBudget memory(config.memory.limit_bytes());
    Cameras* all_cameras = nullptr;
    bus::Service* bus = nullptr;
    Supervisor* supervisor = nullptr;
    GpuOwner* owner = nullptr;

    NodeGate gpu_gate(loop, names::gpu_node);
    GpuOwner gpu(loop, builder, completion, gpu_gate, config.gpu, GpuHistory(history_file()), [&] {
        for (const auto& camera : *all_cameras) camera->use_gpu(owner->runtime(), owner->reason());
        if (bus != nullptr) bus->gpu_changed();
        if (supervisor != nullptr) supervisor->report_status();
    });
    owner = &gpu;
    Wiring wiring(loop, [&](std::string_view name) { return all_cameras->find(name); });
    Cameras cameras(Services{
        .loop = loop,
        .worker = worker,
        .builder = builder,
        .completion = completion,
        .memory = memory,
        .calls = zero_copy::system_calls(),
        .heaps = config.memory.heaps,
        .gpu = [&](Camera& camera) { camera.use_gpu(gpu.runtime(), gpu.reason()); },
        .state_changed =
            [&](const Camera& camera) {
                wiring.camera_changed(camera);
                if (supervisor != nullptr) supervisor->report_status();
            },
        .measured = [&](const Camera& camera,
                        const Measurement& result) { wiring.measured(camera, result); },
        .gpu_failed = [&](const std::string& why) { gpu.call_failed(why); },
        .gpu_refused =
            [&](const std::vector<gpu::Refusal>& refused) { gpu.variants_refused(refused); },
        .gpu_suspect = [&](const std::string& op,
                           const std::string& variant) { gpu.result_suspect(op, variant); }});
    all_cameras = &cameras;
    cameras.add(config.cameras);
    wiring.apply(config.lines, config.alarms);
    settings.on_reload([&](const Config& now) {
        memory.set_limit(now.memory.limit_bytes());
        gpu.configure(now.gpu);
        cameras.reload(now.cameras, now.memory.heaps);
        wiring.apply(now.lines, now.alarms);
        if (supervisor != nullptr) supervisor->report_status();
    });
    int status = EXIT_SUCCESS;
    {
        bus::Service service(loop, settings, gpu, cameras, wiring);
        bus = &service;
        Supervisor super(loop, worker, builder, gpu, cameras);
        supervisor = &super;
        const SignalSource terminate(loop, SIGTERM, [&] { super.stop(); });
        const SignalSource interrupt(loop, SIGINT, [&] { super.stop(); });
        gpu.start();
        super.start();
        try {
            loop.run();
        } catch (const std::exception& error) {
            log::error(error.what());
            status = names::exit_failure;
        }
        bus = nullptr;
        supervisor = nullptr;
    }
    wiring.apply({}, {});  // outputs are left inactive, also on the short way out below
    if (status == EXIT_SUCCESS) gpu.stopped();
    if (!worker.idle() || !builder.idle() || !completion.idle()) {
        // A compiler cannot be interrupted, and its files are replaced in one piece; a GPU that
        // does not answer would be waited for without end.
        log::info("leaving while a job is under way");
        std::fflush(nullptr);
        ::_exit(status);
    }
    return status;
}

int run(int argc, char** argv) {
    Arguments arguments;
    CLI::App app("glintd owns the GPU, measures camera frames and publishes the results on D-Bus.");
    app.set_version_flag("--version", GLINT_VERSION);
    app.add_option("--config", arguments.config_files,
                   "read this file instead of the installed ones (repeatable; later over earlier)");
    app.add_option("--check-config", arguments.check_config, "check a configuration file and exit");
    CLI::Option* probe =
        app.add_flag("--probe", arguments.probe, "report what this machine offers and exit");
    app.add_flag("--json", arguments.json, "with --probe: as JSON")->needs(probe);
    CLI11_PARSE(app, argc, argv);
    if (arguments.probe) return run_probe(arguments.json);
    try {
        if (!arguments.check_config.empty()) {
            (void)load_config({arguments.check_config});
            fmt::print("{}: in order\n", arguments.check_config);
            return EXIT_SUCCESS;
        }
        Settings settings(arguments.config_files);
        return serve(settings);
    } catch (const ConfigError& error) {
        log::error(error.what());
        return names::exit_bad_config;
    } catch (const std::exception& error) {
        log::error(error.what());
        return names::exit_failure;
    }
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) {
    glint::block_signals();
    return glint::run(argc, argv);
}
