#include <csignal>

#include <CppUTest/CommandLineTestRunner.h>
#include <CppUTest/MemoryLeakWarningPlugin.h>

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // as the service does
    // The detector's operator new is linked in whatever the headers say, and a driver's compiler
    // under it takes minutes; AddressSanitizer looks for leaks instead (preset asan).
    MemoryLeakWarningPlugin::turnOffNewDeleteOverloads();
    return CommandLineTestRunner::RunAllTests(argc, argv);
}
