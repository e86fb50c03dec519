// Chips for the tests of GPIO lines: a kernel that is played, or this machine's gpio-sim.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace glint::test {

/// What both can do. Names of chips are as the kernel gives them, e.g. "gpiochip3".
class GpioBench {
  public:
    GpioBench() = default;
    virtual ~GpioBench() = default;
    GpioBench(const GpioBench&) = delete;
    GpioBench& operator=(const GpioBench&) = delete;

    /// An empty name: the line has none. At most once for each label.
    virtual std::string add_chip(const std::string& label,
                                 const std::vector<std::string>& names) = 0;
    virtual void remove_chip(const std::string& chip) = 0;
    /// Puts this physical level on an input.
    virtual void drive(const std::string& chip, unsigned offset, bool high) = 0;
    /// The physical level.
    virtual bool level(const std::string& chip, unsigned offset) = 0;
};

/// Whether GLINT_GPIO_SIM=1 is set: tests then speak to the kernel's gpio-sim, as root.
[[nodiscard]] bool simulated_by_kernel();
/// One at a time.
[[nodiscard]] std::unique_ptr<GpioBench> make_gpio_bench();

}  // namespace glint::test
