// Lines that are driven: the level they begin with, polarity, drive, removal.
#include <cerrno>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/gpio/lines.hpp"
#include "tests/fakes/gpio_kernel.hpp"
#include "tests/gpio/bench.hpp"
#include "tests/gpio/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::test;
using glint::gpio::Bias;
using glint::gpio::Drive;
using glint::gpio::InputLine;
using glint::gpio::OutputLine;
using glint::gpio::OutputSpec;

TEST_GROUP(GpioOutputs) {
    std::unique_ptr<GpioBench> bench = make_gpio_bench();
    std::string chip = bench->add_chip("glint-outputs", {"glint-lamp", "glint-strobe"});
};

TEST(GpioOutputs, ALineIsDrivenFromItsStartOn) {
    for (const bool active_low : {false, true}) {
        for (const bool active : {false, true}) {
            OutputSpec spec = output("", "glint-lamp");
            spec.active_low = active_low;
            spec.active_at_start = active;
            OutputLine line(spec);
            CHECK_EQUAL(active, line.active());
            CHECK_EQUAL(active != active_low, bench->level(chip, 0));
            line.set(!active);
            CHECK_EQUAL(!active, line.active());
            CHECK_EQUAL(active == active_low, bench->level(chip, 0));
            line.set(active);
            CHECK_EQUAL(active != active_low, bench->level(chip, 0));
        }
    }
}

TEST(GpioOutputs, ABusyLineNamesItsHolder) {
    const OutputLine lamp(output(chip, "glint-lamp"));
    STRCMP_EQUAL("busy", refusal([&] { const OutputLine line(output(chip, "glint-lamp")); },
                                 {"\"glint-lamp\"", "held by \"glintd\""})
                             .c_str());
    STRCMP_EQUAL("busy", refusal([&] { const InputLine line(input(chip, "glint-lamp")); },
                                 {"\"glint-lamp\"", "held by \"glintd\""})
                             .c_str());
}

TEST(GpioOutputs, ALineIsFreeAgainAfterwards) {
    const size_t before = open_descriptors();
    for (int at = 0; at < 1000; ++at) {
        OutputLine line(output(chip, "glint-lamp"));
        line.set(true);
    }
    LONGS_EQUAL(before, open_descriptors());
}

TEST(GpioOutputs, ARemovedChipIsToldBySetting) {
    OutputLine line(output(chip, "glint-lamp"));
    bench->remove_chip(chip);
    STRCMP_EQUAL("absent", refusal([&] { line.set(true); },
                                   {"line \"glint-lamp\" (" + chip + " 0)", "chip has gone"})
                               .c_str());
    CHECK_FALSE(line.active());
}

TEST(GpioOutputs, AnAbsentLineNamesWhatIsLikeIt) {
    STRCMP_EQUAL("absent", refusal([&] { const OutputLine line(output("", "glint-stobe")); },
                                   {"most like it: \"glint-strobe\" (" + chip + " 1)"})
                               .c_str());
}

TEST_GROUP(PlayedGpioOutputs) {
    glint::fakes::GpioKernel kernel;
    std::string chip = kernel.add_chip("soc", {"LAMP"});
};

TEST(PlayedGpioOutputs, NothingIsDrivenBeforeTheStartLevel) {
    for (const bool active : {true, false}) {
        for (const bool active_low : {true, false}) {
            kernel.line(chip, 0).driven.clear();
            OutputSpec spec = output("", "LAMP");
            spec.active_low = active_low;
            spec.active_at_start = active;
            OutputLine line(spec);
            line.set(!active);
            const std::vector<bool>& driven = kernel.line(chip, 0).driven;
            LONGS_EQUAL(2, driven.size());
            CHECK_EQUAL(active != active_low, driven[0]);
            CHECK_EQUAL(active == active_low, driven[1]);
        }
    }
}

TEST(PlayedGpioOutputs, EndingDoesNotTouchTheLevel) {
    OutputSpec spec = output("", "LAMP");
    spec.active_at_start = true;
    { const OutputLine line(spec); }
    LONGS_EQUAL(1, kernel.line(chip, 0).driven.size());
    CHECK_TRUE(kernel.line(chip, 0).high);
    CHECK_FALSE(kernel.line(chip, 0).held);
}

TEST(PlayedGpioOutputs, ARefusalSaysWhatToDo) {
    const auto refused = [](std::initializer_list<std::string_view> parts) {
        return refusal(
            [] {
                OutputSpec spec = output("", "LAMP");
                spec.drive = Drive::open_source;
                const OutputLine line(spec);
            },
            parts);
    };
    kernel.line(chip, 0).refusal = 524;  // the kernel's ENOTSUPP
    STRCMP_EQUAL("unsupported", refused({"line \"LAMP\" (gpiochip0 0) cannot be taken as an output",
                                         "it may be the drive: take that out, or another line"})
                                    .c_str());
    kernel.line(chip, 0).refusal = ENODEV;  // though the chip is there
    STRCMP_EQUAL("failed", refused({"No such device", "`gpioinfo`"}).c_str());
}

TEST(PlayedGpioOutputs, TheKernelIsToldWhatTheConfigurationSays) {
    constexpr std::pair<Drive, uint64_t> drives[] = {
        {Drive::push_pull, 0},
        {Drive::open_drain, GPIO_V2_LINE_FLAG_OPEN_DRAIN},
        {Drive::open_source, GPIO_V2_LINE_FLAG_OPEN_SOURCE}};
    for (const auto& [drive, flag] : drives) {
        OutputSpec spec = output("", "LAMP");
        spec.drive = drive;
        spec.bias = Bias::pull_up;
        spec.active_low = true;
        const OutputLine line(spec);
        LONGLONGS_EQUAL(flag | GPIO_V2_LINE_FLAG_OUTPUT | GPIO_V2_LINE_FLAG_ACTIVE_LOW |
                            GPIO_V2_LINE_FLAG_BIAS_PULL_UP,
                        kernel.line(chip, 0).flags);
        STRCMP_EQUAL("glintd", kernel.line(chip, 0).consumer.c_str());
    }
}
