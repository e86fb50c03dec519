#include <CppUTest/CommandLineTestRunner.h>
#include <CppUTest/MemoryLeakWarningPlugin.h>

#include <cstdlib>

int main(int argc, char** argv) {
    // The detector's operator new is linked in whatever the headers say, and a driver's compiler
    // under it takes minutes; AddressSanitizer looks for leaks instead (preset asan).
    MemoryLeakWarningPlugin::turnOffNewDeleteOverloads();
    // Left to themselves, tests would write into the user's caches.
    ::setenv("POCL_CACHE_DIR", "pocl-cache", 0);
    return CommandLineTestRunner::RunAllTests(argc, argv);
}
