// What people are told of by MESSAGE_ID, so that the journal can explain it.
#include "tests/cameras/bench.hpp"
#include "tests/fakes/captured_log.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;
namespace v4l2 = glint::fakes::v4l2;

TEST_GROUP(CameraJournal) {
    Machine machine;
    fakes::CapturedLog log;

    /// Empty when a line has all parts.
    std::string missing(std::initializer_list<std::string_view> parts) {
        const std::string text = log.text();
        std::string why = "nothing was logged";
        for (size_t at = 0; at < text.size();) {
            const size_t end = text.find('\n', at);
            why = missing_in(text.substr(at, end - at), parts);
            if (why.empty()) return {};
            at = end == std::string::npos ? end : end + 1;
        }
        return why;
    }
};

TEST(CameraJournal, FramesThatAreLost) {
    Bench bench(machine, v4l2::vivid());
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("", bench.measure_one().c_str());
    CHECK(!missing({"MESSAGE_ID=fa69e90534db45c08bfe149f6de7266d"}).empty());
    STRCMP_EQUAL("", bench.measure_one({.skipped = 3}).c_str());
    STRCMP_EQUAL("", missing({"the driver has lost 3 frames",
                              "MESSAGE_ID=fa69e90534db45c08bfe149f6de7266d", "GLINT_CAMERA=video0"})
                         .c_str());
}

TEST(CameraJournal, FramesThatAreCopied) {
    Bench bench(machine, v4l2::vivid(), {.transport = zero_copy::Transport::copy});
    bench.camera->use_gpu(runtime(), "");
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("", missing({"frames are copied on their way to the GPU",
                              "MESSAGE_ID=c3d9e7e7970c4fb1b93490dde015e549", "GLINT_CAMERA=video0"})
                         .c_str());
}

TEST(CameraJournal, ARateThatIsNotHad) {
    Bench bench(machine, v4l2::vivid(), {.rate = 77});
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("", missing({"rate = 77 frames per second was asked for",
                              "MESSAGE_ID=ae8d8d231b8a42f2aa969d3879bc9a36", "GLINT_CAMERA=video0"})
                         .c_str());
}
