#include "tests/bus/daemon.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <system_error>

#include <CppUTest/TestHarness.h>

namespace glint::test {

NotifySocket::NotifySocket(std::filesystem::path path)
    : path_(std::move(path)), fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.string().copy(address.sun_path, sizeof address.sun_path - 1);
    if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throw std::system_error(errno, std::generic_category(), path_.string());
    }
    reader_ = std::thread([this] { read_on(); });
}

NotifySocket::~NotifySocket() {
    ending_ = true;
    reader_.join();
}

void NotifySocket::read_on() {
    while (!ending_) {
        constexpr int look_again_ms = 20;
        pollfd ready{.fd = fd_.get(), .events = POLLIN, .revents = 0};
        if (::poll(&ready, 1, look_again_ms) <= 0) continue;
        char text[4096];
        const ssize_t got = ::recv(fd_.get(), text, sizeof text, MSG_DONTWAIT);
        if (got < 0) continue;
        const std::lock_guard lock(mutex_);
        messages_.emplace_back(text, static_cast<size_t>(got));
        arrived_.notify_all();
    }
}

bool NotifySocket::wait_for_part(std::string_view part, milliseconds at_most,
                                 size_t already) const {
    std::unique_lock lock(mutex_);
    return arrived_.wait_for(lock, at_most, [&] {
        return std::ranges::count_if(messages_, [&](const std::string& message) {
                   return contains(message, part);
               }) > static_cast<std::ptrdiff_t>(already);
    });
}

std::vector<std::string> NotifySocket::messages() const {
    const std::lock_guard lock(mutex_);
    return messages_;
}

size_t NotifySocket::count(std::string_view part) const {
    const std::lock_guard lock(mutex_);
    return static_cast<size_t>(std::ranges::count_if(
        messages_, [&](const std::string& message) { return contains(message, part); }));
}

std::filesystem::path shared_cache() {
    std::filesystem::path folder = GLINT_TEST_CACHE_DIR;
    std::error_code closed;
    std::filesystem::create_directories(folder / "pocl", closed);
    if (!closed && ::access((folder / "pocl").c_str(), W_OK) == 0) return folder;
    // The build folder belongs to somebody else.
    folder =
        std::filesystem::temp_directory_path() / fmt::format("glint-test-cache-{}", ::geteuid());
    std::filesystem::create_directories(folder / "pocl");
    return folder;
}

std::map<std::string, std::string> daemon_environment(const std::string& bus_address) {
    // LLVM takes the signal stack of whatever thread it runs on, so the sanitizer must not have
    // one; and memory that it holds back would count as grown.
    const char* given = std::getenv("ASAN_OPTIONS");
    const std::string own = "use_sigaltstack=0:quarantine_size_mb=4";
    std::map<std::string, std::string> environment{
        {"ASAN_OPTIONS", given != nullptr ? own + ":" + given : own},
        {"DBUS_SYSTEM_BUS_ADDRESS", bus_address},
        {"GLINT_LAYER_CACHE", (shared_cache() / "clang").string()},
        {"POCL_CACHE_DIR", (shared_cache() / "pocl").string()},
        {"LSAN_OPTIONS", "suppressions=" GLINT_SOURCE_DIR "/tests/lsan.supp:"
                         "print_suppressions=0"},
        {"UBSAN_OPTIONS", "print_stacktrace=1"}};
    // The same tests on a device that is played.
    if (const char* layer = std::getenv("GLINT_TEST_LAYER")) {
        environment.emplace("OPENCL_LAYERS", layer);
    }
    return environment;
}

DeviceUnderTest device_under_test() {
    if (std::getenv("GLINT_TEST_LAYER") == nullptr) return {};
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string_view(value != nullptr ? value : "");
    };
    DeviceUnderTest device{.played = true};
    const std::string_view profile = variable("GLINT_LAYER_PROFILE");
    if (profile == "gc2000") device.profile = "EMBEDDED_PROFILE";
    // A GC2000+ has the Full Profile, but room for no more than 512 instructions.
    device.runs_fp = !profile.starts_with("gc2000");
    const std::string_view memory = variable("GLINT_LAYER_MEMORY");
    if (memory == "strict" || memory == "shadow-all") device.zero_copy = "no";
    return device;
}

Daemon::Daemon(const TemporaryFolder& folder, const std::string& bus_address,
               const DaemonOptions& options, const std::string& name)
    : log_(folder / (name + ".log")), notify_(folder / (name + ".notify")) {
    const std::filesystem::path config = folder / (name + ".toml");
    const std::string cache =
        options.cache_dir.empty() ? (shared_cache() / "glintd").string() : options.cache_dir;
    const std::string tuning =
        options.tuning_file.empty() ? (folder / "no-tuning.toml").string() : options.tuning_file;
    write_file(config, fmt::format("[gpu]\ncache_dir = \"{}\"\ntuning_file = \"{}\"\n{}\n{}\n",
                                   cache, tuning, options.gpu, options.config));
    std::map<std::string, std::string> environment = options.environment;
    environment.merge(daemon_environment(bus_address));
    environment.emplace("NOTIFY_SOCKET", notify_.path());
    process_.emplace(Command{.arguments = {GLINT_GLINTD, "--config", config.string()},
                             .environment = std::move(environment),
                             .output = log_,
                             .errors = log_});
}

Daemon::~Daemon() {
    const bool fails = test_fails();
    process_.reset();
    if (fails) std::cout << "\n--- glintd\n" << log() << std::flush;
}

void Daemon::wait_ready() {
    const milliseconds end = now() + seconds(20);
    while (process_->running() && now() < end) {
        if (notify_.wait_for_part("READY=1", milliseconds(100))) return;
    }
    FAIL(process_->running() ? "glintd is not ready within 20 s" : "glintd has ended");
}

milliseconds Daemon::stop(milliseconds at_most) {
    const milliseconds start = now();
    process_->signal(SIGTERM);
    const auto code = process_->wait_exit(at_most);
    const milliseconds took = now() - start;
    CHECK_TEXT(code.has_value(), "glintd does not end after SIGTERM");
    LONGS_EQUAL_TEXT(0, *code, "exit code after SIGTERM");
    check_sanitizers();
    return took;
}

void Daemon::check_sanitizers() const {
    const std::string text = log();
    for (const char* sign : {"ERROR: AddressSanitizer", "ERROR: LeakSanitizer",
                             "runtime error:", "WARNING: ThreadSanitizer"}) {
        CHECK_TEXT(!contains(text, sign), sign);
    }
}

}  // namespace glint::test
