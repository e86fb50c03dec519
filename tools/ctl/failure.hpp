// What glintctl throws: the text is the line that the user reads.
#pragma once

#include <stdexcept>

namespace glint::ctl {

// Something did not work: exit status 1.
class Failure : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The command line asks for something that cannot be: exit status 2.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace glint::ctl
