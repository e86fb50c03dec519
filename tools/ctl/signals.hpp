// Signals held back while something must not be cut in two, or while a loop takes them itself.
#pragma once

#include <csignal>
#include <initializer_list>

namespace glint::ctl {

class SignalsBlocked {
  public:
    explicit SignalsBlocked(std::initializer_list<int> signals) {
        sigset_t set;
        sigemptyset(&set);
        for (const int signal : signals) sigaddset(&set, signal);
        sigprocmask(SIG_BLOCK, &set, &before_);
    }
    ~SignalsBlocked() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t before_{};
};

}  // namespace glint::ctl
