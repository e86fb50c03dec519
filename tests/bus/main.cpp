// Bus tests: the real glintd on a dbus-daemon of their own.
#include <csignal>

#include "tests/bus/skip.hpp"

#include <CppUTest/CommandLineTestRunner.h>

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    const int result = CommandLineTestRunner::RunAllTests(argc, argv);
    constexpr int skipped = 77;
    return result == 0 && glint::test::any_skipped() ? skipped : result;
}
