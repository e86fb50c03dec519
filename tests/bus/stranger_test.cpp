// Who may do what, with the shipped policy: a stranger, a member of the group, root.
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "tests/bus/bench.hpp"
#include "tests/bus/skip.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr uid_t nobody = 65534;
constexpr const char* access_denied = "org.freedesktop.DBus.Error.AccessDenied";

bool is_root() {
    if (::geteuid() == 0) return true;
    skip("only root can become another user");
    return false;
}

/// Collects what is not as it should be, for no test macro works in another process.
class Findings {
  public:
    void allowed(const std::string& what, const std::function<void()>& act) {
        try {
            act();
        } catch (const std::exception& error) {
            text_ += fmt::format("{} is refused: {}\n", what, error.what());
        }
    }
    void denied(const std::string& what, const std::function<void()>& act) {
        try {
            act();
            text_ += fmt::format("{} is allowed\n", what);
        } catch (const BusError& error) {
            if (error.name() != access_denied) {
                text_ += fmt::format("{} gives {}: {}\n", what, error.name(), error.what());
            }
        }
    }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

  private:
    std::string text_;
};

/// Runs `act` as another user with these groups, in a child.
void run_as(uid_t user, const std::vector<gid_t>& groups, const std::filesystem::path& report,
            const std::function<void(Findings&)>& act) {
    write_file(report, "");
    std::filesystem::permissions(report, std::filesystem::perms(0666));
    std::cout << std::flush;
    const pid_t child = ::fork();
    if (child == 0) {
        Findings findings;
        const bool became = ::setgroups(groups.size(), groups.data()) == 0 &&
                            ::setresgid(nobody, nobody, nobody) == 0 &&
                            ::setresuid(user, user, user) == 0;
        if (!became) ::_exit(3);
        try {
            act(findings);
            write_file(report, findings.text());
        } catch (const std::exception& error) {
            write_file(report, fmt::format("{}unexpected: {}\n", findings.text(), error.what()));
        }
        ::_exit(0);
    }
    int status = 0;
    LONGS_EQUAL(child, ::waitpid(child, &status, 0));
    CHECK(WIFEXITED(status));
    LONGS_EQUAL(0, WEXITSTATUS(status));
    STRCMP_EQUAL("", read_file(report).c_str());
}

void read_all(Findings& findings, Client& client) {
    const CameraClient camera(client, "front");
    findings.allowed("Get of a camera", [&] { (void)camera.text("State"); });
    findings.allowed("Get of the manager",
                     [&] { (void)client.text(manager_path, manager_interface, "GpuName"); });
    findings.allowed("GetAll", [&] { (void)camera.counters(); });
    findings.allowed("GetManagedObjects", [&] {
        client.call(manager_path, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
    });
    findings.allowed("Introspect", [&] {
        client.call(camera.path(), "org.freedesktop.DBus.Introspectable", "Introspect");
    });
    findings.allowed("Ping", [&] { client.call("/", "org.freedesktop.DBus.Peer", "Ping"); });
    findings.allowed("GetHistogram", [&] { (void)camera.histogram(); });
    findings.allowed("GetStatistics", [&] { (void)camera.statistics(); });
    findings.allowed("reading the log level", [&] {
        (void)client.text(log_control_path, log_control_interface, "LogLevel");
    });
    findings.allowed("signals", [&] {
        bool heard = false;
        const auto listening = client.on_signal(camera.path(), camera_interface, "Measured",
                                                [&](const Message&) { heard = true; });
        const milliseconds end = now() + seconds(10);
        while (!heard && now() < end) {
            client.process();
            sd_bus_wait(client.get(), 10'000);
        }
        if (!heard) throw std::runtime_error("none heard");
    });
}

void set_log_level(Client& client) {
    client.call(log_control_path, properties_interface, "Set", "ssv", log_control_interface,
                "LogLevel", "s", "info");
}

using Verdict = void (Findings::*)(const std::string&, const std::function<void()>&);

/// Everything that changes state or carries a picture.
void change_all(Findings& findings, Client& client, Verdict verdict) {
    const CameraClient camera(client, "front");
    const auto judge = [&](const char* what, const std::function<void()>& act) {
        (findings.*verdict)(what, act);
    };
    judge("SetRegions", [&] { camera.set_regions({{"left", 0, 0, 10, 10}}); });
    judge("SetFilterFloat",
          [&] { camera.set_filter_float("custom", 3, 3, std::vector<double>(9, 0.1)); });
    judge("SetFilter", [&] { camera.set_filter("box3"); });
    judge("SetBins", [&] { camera.set_bins(256); });
    judge("Controls", [&] { camera.ask_controls(); });
    judge("SetControl", [&] {
        try {
            camera.set_control("gain", 1);
        } catch (const BusError& error) {
            if (error.name() != "org.glintd1.Error.ControlInvalid") throw;  // that far it came
        }
    });
    judge("SetMask", [&] { camera.set_mask({}); });
    judge("SetMeteringGrid", [&] { camera.set_metering_grid(0, 0, {}); });
    judge("GetFrame raw", [&] { (void)camera.frame("raw"); });
    judge("GetFrame filtered", [&] { (void)camera.frame("filtered"); });
    for (const char* what : {"histograms", "raw", "filtered"}) {
        judge("OpenStream", [&] { (void)camera.open_stream(what); });
    }
    judge("setting PublishIntervalUSec", [&] { camera.set_publish_interval(1000); });
    judge("setting PublishedHistograms", [&] { camera.set_published_histograms({"frame"}); });
    judge("Stop", [&] { camera.stop(); });
    judge("Start", [&] { camera.start(); });
}

/// A group of this machine that stands for the group glintd.
const group* any_group() {
    ::setgrent();
    const group* found = nullptr;
    while ((found = ::getgrent()) != nullptr) {
        if (found->gr_gid != 0 && found->gr_gid != nobody) break;
    }
    return found;
}

const DaemonOptions one_camera{.config = camera_table({}), .gpu = on_cpu};

}  // namespace

TEST_GROUP(Stranger){};

BUS_TEST(Stranger, reads_and_does_nothing_else) {
    if (!is_root()) return;
    Bench bench(one_camera);
    bench.camera().wait_for_result();
    const auto before = bench.camera().counters();
    run_as(nobody, {}, bench.folder / "report", [&](Findings& findings) {
        Client client(bench.bus.address());
        read_all(findings, client);
        change_all(findings, client, &Findings::denied);
        findings.denied("RetryGpu",
                        [&] { client.call(manager_path, manager_interface, "RetryGpu"); });
        findings.denied("setting the log level", [&] { set_log_level(client); });
        findings.denied("a member that nobody knows",
                        [&] { client.call(manager_path, manager_interface, "Dump"); });
        findings.denied("a call without an interface",
                        [&] { client.call(manager_path, nullptr, "RetryGpu"); });
        findings.denied("owning the name", [&] {
            if (sd_bus_request_name(client.get(), service_name, SD_BUS_NAME_REPLACE_EXISTING) < 0) {
                throw BusError(access_denied, "");
            }
        });
    });
    STRCMP_EQUAL("streaming", bench.camera().text("State").c_str());
    LONGS_EQUAL(1, bench.camera().number("Generation"));
    LONGS_EQUAL(before.at("PublishIntervalUSec"), bench.camera().counter("PublishIntervalUSec"));
    LONGS_EQUAL(0, bench.camera().counter("BytesExported"));
    bench.daemon.stop();
}

BUS_TEST(Stranger, in_the_group_may_change_and_see) {
    if (!is_root()) return;
    const group* const stand_in = any_group();
    CHECK(stand_in != nullptr);
    const gid_t gid = stand_in->gr_gid;
    Bench bench(one_camera, {.group = stand_in->gr_name});
    bench.camera().wait_for_result();
    run_as(nobody, {gid}, bench.folder / "report", [&](Findings& findings) {
        Client client(bench.bus.address());
        read_all(findings, client);
        change_all(findings, client, &Findings::allowed);
        findings.allowed("RetryGpu", [&] {
            try {
                client.call(manager_path, manager_interface, "RetryGpu");
            } catch (const BusError& error) {
                // The service's own answer: the call has passed.
                if (error.name() != "org.glintd1.Error.GpuUnavailable") throw;
            }
        });
        findings.denied("setting the log level", [&] { set_log_level(client); });
        findings.denied("a member that nobody knows",
                        [&] { client.call(manager_path, manager_interface, "Dump"); });
    });
    // Without the group the same user is a stranger again.
    run_as(nobody, {}, bench.folder / "report", [&](Findings& findings) {
        Client client(bench.bus.address());
        change_all(findings, client, &Findings::denied);
    });
    bench.daemon.stop();
}

BUS_TEST(Stranger, root_sets_the_log_level) {
    if (!is_root()) return;
    Bench bench(one_camera);
    const auto set = [&](const char* property, const char* value) {
        bench.client->call(log_control_path, properties_interface, "Set", "ssv",
                           log_control_interface, property, "s", value);
    };
    for (const char* level : {"err", "warning", "notice", "info", "debug"}) {
        set("LogLevel", level);
        STRCMP_EQUAL(
            level, bench.client->text(log_control_path, log_control_interface, "LogLevel").c_str());
    }
    expect_error("org.freedesktop.DBus.Error.InvalidArgs", "\"loud\"",
                 [&] { set("LogLevel", "loud"); });
    expect_error("org.freedesktop.DBus.Error.InvalidArgs", "\"paper\"",
                 [&] { set("LogTarget", "paper"); });
    set("LogTarget", "console");
    STRCMP_EQUAL("console",
                 bench.client->text(log_control_path, log_control_interface, "LogTarget").c_str());
    STRCMP_EQUAL(
        "glintd",
        bench.client->text(log_control_path, log_control_interface, "SyslogIdentifier").c_str());
    bench.camera().wait_for_result();
    Findings findings;
    change_all(findings, *bench.client, &Findings::allowed);
    STRCMP_EQUAL("", findings.text().c_str());
    bench.daemon.stop();
}
