// SIGTERM ends the service in good order within a second, whatever it is doing.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <sstream>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

std::string four_cameras() {
    std::string config;
    for (const char* name : {"one", "two", "three", "four"}) {
        config += camera_table({.name = name,
                                .source = "test:noise",
                                .width = 640,
                                .height = 480,
                                .rate = 200,
                                .more = "publish_interval_ms = 0\n"});
    }
    return config;
}

/// Clients that never stop asking and read what they get.
class Flood {
  public:
    explicit Flood(const std::string& address) {
        for (const char* name : {"one", "two", "three", "four"}) {
            clients_.push_back(std::make_unique<Client>(address));
            names_.emplace_back(name);
        }
    }
    /// One more round of calls; false once the service does not answer any more.
    void pump() {
        for (size_t i = 0; i < clients_.size(); ++i) {
            Client& client = *clients_[i];
            const CameraClient camera(client, names_[i]);
            const auto count = [this](const Message& reply) {
                --waiting_;
                if (sd_bus_message_is_method_error(reply.get(), nullptr) == 0) ++answered_;
            };
            while (waiting_ < 40 * (i + 1)) {
                ++waiting_;
                client.send_async(camera.new_call("GetHistogram").append("s", "frame"), count);
                if (waiting_ % 10 != 0) continue;
                ++waiting_;
                client.send_async(camera.new_call("GetFrame").append("s", "raw"), count);
            }
            client.process();
        }
    }
    [[nodiscard]] size_t answered() const noexcept { return answered_; }

  private:
    std::vector<std::unique_ptr<Client>> clients_;
    std::vector<std::string> names_;
    size_t waiting_ = 0;
    size_t answered_ = 0;
};

/// "camera NAME: A of B buffers are back" for every stream that ended.
void check_buffers(const std::string& log, size_t least_streams) {
    size_t streams = 0;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        if (!contains(line, "buffers are back")) continue;
        unsigned back = 0;
        unsigned all = 0;
        const size_t at = line.find(": ", line.find("camera ")) + 2;
        LONGS_EQUAL(2, std::sscanf(line.c_str() + at, "%u of %u", &back, &all));
        LONGS_EQUAL(all, back);
        ++streams;
    }
    CHECK(streams >= least_streams);
    CHECK(!contains(log, "not every buffer came back"));
}

void check_stop_under_load(const std::string& gpu, bool with_gpu) {
    Bench bench({.config = four_cameras(), .gpu = gpu});
    for (const char* name : {"one", "two", "three", "four"}) {
        if (with_gpu) bench.camera(name).wait_for_gpu();
        bench.camera(name).wait_for_result();
    }
    // Only root may have the buffers told.
    const bool told = ::geteuid() == 0;
    if (told) {
        bench.client->call(log_control_path, properties_interface, "Set", "ssv",
                           log_control_interface, "LogLevel", "s", "debug");
    }
    Flood flood(bench.bus.address());
    const pid_t pid = bench.daemon.pid();
    const bool answering = wait_for(limit(seconds(10)), [&] {
        flood.pump();
        return flood.answered() >= 1000;
    });
    CHECK_TEXT(answering, "the service does not keep up with the flood");

    const milliseconds start = now();
    bench.daemon.process().signal(SIGTERM);
    std::optional<int> code;
    wait_for(limit(seconds(10)), [&] {
        flood.pump();
        code = bench.daemon.process().wait_exit(milliseconds(0));
        return code.has_value();
    });
    const milliseconds took = now() - start;
    CHECK_TEXT(code.has_value(), "glintd does not end");
    LONGS_EQUAL(0, *code);
    CHECK_TEXT(took <= limit(seconds(1)), fmt::format("took {} ms", took.count()).c_str());
    CHECK(!std::filesystem::exists(fmt::format("/proc/{}", pid)));
    bench.daemon.check_sanitizers();
    check_buffers(bench.daemon.log(), told ? 4 : 0);
}

}  // namespace

TEST_GROUP(Stop){};

BUS_TEST(Stop, under_load_on_the_cpu) {
    check_stop_under_load(on_cpu, false);
}

BUS_TEST(Stop, under_load_on_the_gpu) {
    check_stop_under_load("", true);
}

BUS_TEST(Stop, sigint_is_the_same) {
    Bench bench({.config = camera_table({}), .gpu = on_cpu});
    bench.daemon.process().signal(SIGINT);
    const auto code = bench.daemon.process().wait_exit(limit(seconds(1)));
    CHECK(code.has_value());
    LONGS_EQUAL(0, *code);
    bench.daemon.check_sanitizers();
}

BUS_TEST(Stop, while_kernels_are_built) {
    for (int i = 0; i < 3; ++i) {
        // At READY=1, with nothing in the cache.
        const TemporaryFolder cache;
        Bench bench({.config = four_cameras(), .cache_dir = cache.path().string()});
        const milliseconds took = bench.daemon.stop();
        CHECK_TEXT(took <= limit(seconds(1)), fmt::format("took {} ms", took.count()).c_str());
    }
}

BUS_TEST(Stop, without_a_bus_that_reads) {
    // Little may wait in the bus, so that a listener that does not read stops the bus from reading.
    Bench bench({.config = talkative_camera(), .gpu = on_cpu},
                {.limits = {{"max_incoming_bytes", 64 * 1024}}});
    Client deaf(bench.bus.address());
    const auto listening =
        deaf.on_signal(bench.camera().path(), camera_interface, "Histogram", [](const Message&) {});
    // Another client does not get through any more once the bus has stopped reading.
    const bool congested = wait_for(
        seconds(20), [&] { return !bench.client->answered_within(limit(milliseconds(300))); });
    CHECK_TEXT(congested, "the bus goes on reading");
    // The kernel holds 8 MB for the service; its own queue grows after that.
    const milliseconds full = now() + seconds(2);
    wait_for(seconds(3), [&] { return now() >= full; });
    const milliseconds took = bench.daemon.stop(limit(seconds(5)));
    CHECK_TEXT(took <= limit(seconds(1)), fmt::format("took {} ms", took.count()).c_str());
}

BUS_TEST(Stop, when_the_bus_goes_away) {
    const TemporaryFolder folder;
    std::optional<PrivateBus> bus(std::in_place, folder);
    Daemon daemon(folder, bus->address(), {.config = camera_table({}), .gpu = on_cpu});
    daemon.wait_ready();
    bus.reset();
    const auto code = daemon.process().wait_exit(limit(seconds(5)));
    CHECK_TEXT(code.has_value(), "glintd stays without a bus");
    LONGS_EQUAL(1, *code);
    CHECK(contains(daemon.log(), "the connection to the system bus was lost"));
    daemon.check_sanitizers();
}
