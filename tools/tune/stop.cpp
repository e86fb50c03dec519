#include "tools/tune/stop.hpp"

#include <csignal>

namespace glint::tune {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int signal) {
    received = signal;
}

}  // namespace

void catch_stop_signals() {
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

int stop_signal() {
    return received;
}

}  // namespace glint::tune
