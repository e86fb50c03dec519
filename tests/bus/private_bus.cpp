#include "tests/bus/private_bus.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <iostream>
#include <stdexcept>

namespace glint::test {
namespace {

// As /usr/share/dbus-1/system.conf has it, less what only activation and monitors need.
constexpr std::string_view base_policy = R"(
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
    <allow send_destination="org.freedesktop.DBus"
           send_interface="org.freedesktop.DBus.Introspectable"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Properties"/>
  </policy>
)";

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

/// The shipped file, or a copy for the users and groups that there are.
std::filesystem::path policy_file(const TemporaryFolder& folder, const BusOptions& options) {
    const std::filesystem::path shipped =
        std::filesystem::path(GLINT_SOURCE_DIR) / "systemd" / "org.glintd1.conf";
    std::string group = options.group;
    std::string policy = read_file(shipped);
    if (::geteuid() != 0) {
        const passwd* const user = ::getpwuid(::geteuid());
        const struct group* const own = ::getgrgid(::getegid());
        if (user == nullptr || own == nullptr) throw std::runtime_error("this user has no name");
        replace_all(policy, "user=\"glintd\"", fmt::format("user=\"{}\"", user->pw_name));
        if (group.empty()) group = own->gr_name;
    } else if (group.empty()) {
        return shipped;
    }
    replace_all(policy, "group=\"glintd\"", fmt::format("group=\"{}\"", group));
    write_file(folder / "policy.conf", policy);
    return folder / "policy.conf";
}

}  // namespace

PrivateBus::PrivateBus(const TemporaryFolder& folder, const BusOptions& options)
    : log_(folder / "bus.log"), address_(fmt::format("unix:path={}", (folder / "bus").string())) {
    std::string config = fmt::format(
        "<busconfig>\n  <type>system</type>\n  <listen>{}</listen>\n"
        "  <auth>EXTERNAL</auth>\n{}",
        address_, base_policy);
    for (const auto& [name, value] : options.limits) {
        config += fmt::format("  <limit name=\"{}\">{}</limit>\n", name, value);
    }
    if (options.policy) {
        config += fmt::format("  <include>{}</include>\n", policy_file(folder, options).string());
    }
    write_file(folder / "bus.conf", config + "</busconfig>\n");
    const std::filesystem::path printed = folder / "bus.address";
    process_.emplace(
        Command{.arguments = {GLINT_DBUS_DAEMON, "--nofork", "--nopidfile", "--print-address=1",
                              "--config-file=" + (folder / "bus.conf").string()},
                .environment = {},
                .output = printed,
                .errors = log_});
    // It prints the address once it listens.
    if (wait_for(seconds(20),
                 [&] { return contains(read_file(printed), "\n") || !process_->running(); }) &&
        process_->running()) {
        return;
    }
    throw std::runtime_error("dbus-daemon does not start: " + read_file(log_));
}

PrivateBus::~PrivateBus() {
    if (test_fails()) std::cout << "\n--- dbus-daemon\n" << read_file(log_) << std::flush;
}

}  // namespace glint::test
