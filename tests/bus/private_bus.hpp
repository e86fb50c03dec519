// A dbus-daemon of the test's own, with the policy of a system bus.
#pragma once

#include <map>
#include <string>

#include "tests/bus/support.hpp"

namespace glint::test {

struct BusOptions {
    bool policy = true;  ///< load systemd/org.glintd1.conf
    /// Stands for the group glintd, which the machine need not have; empty: the policy as it is.
    std::string group;
    std::map<std::string, uint64_t> limits;
};

class PrivateBus {
  public:
    explicit PrivateBus(const TemporaryFolder& folder, const BusOptions& options = {});
    ~PrivateBus();

    [[nodiscard]] const std::string& address() const noexcept { return address_; }

  private:
    std::filesystem::path log_;
    std::string address_;
    std::optional<Process> process_;
};

}  // namespace glint::test
