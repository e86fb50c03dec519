// What went wrong, in the terms of the D-Bus interface. Thrown by the service's own code; the bus
// turns it into an error reply, everything else into a generic one.
#pragma once

#include <stdexcept>
#include <string>

namespace glint {

class Failure : public std::runtime_error {
  public:
    /// `name` is one of names::error.
    Failure(const char* name, const std::string& text) : std::runtime_error(text), name_(name) {}
    [[nodiscard]] const char* name() const noexcept { return name_; }

  private:
    const char* name_;
};

}  // namespace glint
