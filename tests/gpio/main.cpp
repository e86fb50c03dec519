#include <CppUTest/CommandLineTestRunner.h>

#include <vector>

#include "tests/gpio/bench.hpp"

int main(int argc, char** argv) {
    std::vector<const char*> arguments(argv, argv + argc);
    if (glint::test::simulated_by_kernel()) {
        arguments.push_back("-xg");
        arguments.push_back("Played");  // what only a kernel that is played can do
    }
    return CommandLineTestRunner::RunAllTests(static_cast<int>(arguments.size()), arguments.data());
}
