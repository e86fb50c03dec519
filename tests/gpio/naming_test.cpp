// Which line a configuration means: names, offsets, chips by name, path and label; and what is said
// otherwise.
#include <cerrno>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "daemon/gpio/lines.hpp"
#include "tests/fakes/gpio_kernel.hpp"
#include "tests/gpio/bench.hpp"
#include "tests/gpio/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::test;
using glint::gpio::InputLine;

TEST_GROUP(GpioNames) {
    std::unique_ptr<GpioBench> bench = make_gpio_bench();
    std::string soc = bench->add_chip("glint-soc", {"glint-trigger", "", "glint-door", "1"});
    std::string expander = bench->add_chip("glint-expander", {"", "glint-lamp", "glint-door"});

    static std::string taken(const std::string& chip, const std::string& line) {
        return InputLine(input(chip, line)).description();
    }
    static std::string refused(const std::string& chip, const std::string& line,
                               std::initializer_list<std::string_view> parts) {
        return refusal([&] { const InputLine line_(input(chip, line)); }, parts);
    }
};

TEST(GpioNames, ALineIsFoundOnWhicheverChipHasIt) {
    STRCMP_EQUAL(("line \"glint-trigger\" (" + soc + " 0)").c_str(),
                 taken("", "glint-trigger").c_str());
    const InputLine lamp(input("", "glint-lamp"));
    STRCMP_EQUAL(("line \"glint-lamp\" (" + expander + " 1)").c_str(), lamp.description().c_str());
    STRCMP_EQUAL(("/dev/" + expander).c_str(), lamp.chip_path().c_str());
}

TEST(GpioNames, AChipGoesByNamePathAndLabel) {
    const std::string expected = "line \"glint-door\" (" + expander + " 2)";
    for (const std::string& chip : {expander, "/dev/" + expander, std::string("glint-expander")}) {
        STRCMP_EQUAL(expected.c_str(), taken(chip, "glint-door").c_str());
    }
}

TEST(GpioNames, OnAChipALineGoesByItsOffsetToo) {
    STRCMP_EQUAL(("line \"glint-door\" (" + soc + " 2)").c_str(), taken(soc, "2").c_str());
    STRCMP_EQUAL(("line 0 of " + expander).c_str(), taken("glint-expander", "0").c_str());
}

TEST(GpioNames, ANameGoesBeforeAnOffset) {
    STRCMP_EQUAL(("line \"1\" (" + soc + " 3)").c_str(), taken(soc, "1").c_str());
    STRCMP_EQUAL(("line \"1\" (" + soc + " 3)").c_str(), taken("", "1").c_str());
}

TEST(GpioNames, ANameOnTwoChipsIsRefusedWithBoth) {
    STRCMP_EQUAL("ambiguous", refused("", "glint-door",
                                      {"\"glint-door\"", soc + " 2", expander + " 2",
                                       "say which by chip and offset"})
                                  .c_str());
}

TEST(GpioNames, ANameTwiceOnOneChipIsRefusedWithBoth) {
    const std::string twins = bench->add_chip("glint-twins", {"glint-twin", "glint-twin"});
    STRCMP_EQUAL("ambiguous", refused(twins, "glint-twin", {twins + " 0", twins + " 1"}).c_str());
    STRCMP_EQUAL(("line \"glint-twin\" (" + twins + " 1)").c_str(), taken(twins, "1").c_str());
}

TEST(GpioNames, AnAbsentLineNamesWhatIsLikeIt) {
    STRCMP_EQUAL("absent", refused("", "GLINT-TRIGER",
                                   {"\"GLINT-TRIGER\"", "most like it: \"glint-trigger\"",
                                    soc + " 0", soc + " [glint-soc] with 4 lines"})
                               .c_str());
    STRCMP_EQUAL("absent",
                 refused("glint-expander", "glint-trigger",
                         {"on chip \"glint-expander\"", "most like it: \"glint-", expander})
                     .c_str());
}

TEST(GpioNames, AnOffsetIsNoLineWithoutItsChip) {
    STRCMP_EQUAL("absent", refused("", "2", {"\"2\""}).c_str());
}

TEST(GpioNames, AnOffsetBehindTheLastIsAbsent) {
    STRCMP_EQUAL("absent", refused(expander, "3", {"\"3\"", "with 3 lines"}).c_str());
    STRCMP_EQUAL("absent", refused(expander, "4294967297", {"\"4294967297\""}).c_str());
}

TEST(GpioNames, AChipWithoutNamesSaysSo) {
    const std::string plain = bench->add_chip("glint-plain", {"", ""});
    STRCMP_EQUAL("absent", refused(plain, "glint-x", {"no line there has a name"}).c_str());
}

TEST(GpioNames, AnAbsentChipNamesThoseThereAre) {
    STRCMP_EQUAL("absent", refused("glint-nowhere", "glint-door",
                                   {"on chip \"glint-nowhere\"", soc + " [glint-soc]",
                                    expander + " [glint-expander]"})
                               .c_str());
    STRCMP_EQUAL("absent", refused("/dev/gpiochip9999", "0",
                                   {"/dev/gpiochip9999 (No such file or directory)", "gpiodetect"})
                               .c_str());
}

TEST(GpioNames, AnotherDeviceIsNoChip) {
    STRCMP_EQUAL("unsupported", refused("/dev/null", "0", {"/dev/null", "no GPIO chip"}).c_str());
}

TEST(GpioNames, ASearchLeavesNothingOpen) {
    const size_t before = open_descriptors();
    STRCMP_EQUAL("absent", refused("", "glint-nothing", {}).c_str());
    STRCMP_EQUAL("ambiguous", refused("", "glint-door", {}).c_str());
    LONGS_EQUAL(before, open_descriptors());
}

TEST_GROUP(PlayedGpioNames) {
    glint::fakes::GpioKernel kernel;

    static std::string refused(const std::string& chip, const std::string& line,
                               std::initializer_list<std::string_view> parts) {
        return refusal([&] { const InputLine line_(input(chip, line)); }, parts);
    }
};

TEST(PlayedGpioNames, NoChipAtAll) {
    STRCMP_EQUAL("absent", refused("", "TRIGGER", {"there is no GPIO chip"}).c_str());
}

TEST(PlayedGpioNames, ALinkToAChipIsNoSecondChip) {
    const std::string chip = kernel.add_chip("soc", {"TRIGGER"});
    kernel.add_link("gpiochip7", chip);
    STRCMP_EQUAL("line \"TRIGGER\" (gpiochip0 0)",
                 InputLine(input("", "TRIGGER")).description().c_str());
    STRCMP_EQUAL("line \"TRIGGER\" (gpiochip0 0)",
                 InputLine(input("/dev/gpiochip7", "TRIGGER")).description().c_str());
}

TEST(PlayedGpioNames, AChipThatMayNotBeOpenedIsNamedWithTheNextStep) {
    kernel.add_chip("soc", {"TRIGGER"});
    const std::string secret = kernel.add_chip("expander", {"LAMP"});
    kernel.refuse_open(secret, EACCES);
    for (const char* chip : {"", "gpiochip1", "/dev/gpiochip1"}) {
        STRCMP_EQUAL("denied", refused(chip, "LAMP",
                                       {"\"LAMP\"", "/dev/gpiochip1 (Permission denied)",
                                        "group (gpio)", "char-gpiochip"})
                                   .c_str());
    }
    kernel.refuse_open(secret, EPERM);
    STRCMP_EQUAL("denied", refused("", "LAMP", {"Operation not permitted"}).c_str());
    STRCMP_EQUAL("line \"TRIGGER\" (gpiochip0 0)",
                 InputLine(input("", "TRIGGER")).description().c_str());
}

TEST(PlayedGpioNames, AChipThatIsAboutToGoIsAbsent) {
    const std::string chip = kernel.add_chip("expander", {"LAMP"});
    kernel.refuse_open(chip, ENODEV);
    STRCMP_EQUAL("absent", refused("/dev/gpiochip0", "LAMP", {"No such device"}).c_str());
    kernel.refuse_open(chip, EMFILE);
    STRCMP_EQUAL("failed", refused("", "LAMP", {"Too many open files"}).c_str());
}

TEST(PlayedGpioNames, AChipThatGoesDuringTheSearchIsLeftOut) {
    const std::string chip = kernel.add_chip("expander", {"LAMP"});
    kernel.add_chip("soc", {"TRIGGER"});
    bool plugged = true;
    kernel.name_asked = [&] {
        if (std::exchange(plugged, false)) kernel.remove_chip(chip);
    };
    STRCMP_EQUAL("line \"TRIGGER\" (gpiochip1 0)",
                 InputLine(input("", "TRIGGER")).description().c_str());
    STRCMP_EQUAL("absent", refused("", "LAMP", {"\"LAMP\"", "gpiochip1 [soc]"}).c_str());
}

TEST(PlayedGpioNames, AKernelWithoutTheLibrarysInterfaceIsNamed) {
    kernel.add_chip("soc", {"TRIGGER"});
    kernel.traits.has_v1 = kernel.traits.has_v2 = false;
    STRCMP_EQUAL(
        "unsupported",
        refused("", "TRIGGER", {"/dev/gpiochip0", "use a glintd that is built with"}).c_str());
}

TEST(PlayedGpioNames, ALineOfManyChipsIsFoundInTheOrderOfTheirNumbers) {
    for (int at = 0; at < 12; ++at) kernel.add_chip("chip", {"LINE" + std::to_string(at)});
    STRCMP_EQUAL("line \"LINE10\" (gpiochip10 0)",
                 InputLine(input("", "LINE10")).description().c_str());
    // The label is that of all: the line tells which.
    STRCMP_EQUAL("line \"LINE2\" (gpiochip2 0)",
                 InputLine(input("chip", "LINE2")).description().c_str());
    STRCMP_EQUAL("ambiguous", refused("chip", "0",
                                      {"(gpiochip2 0) or",
                                       "\"LINE9\" (gpiochip9 0) or line \"LINE10\" (gpiochip10 0)"})
                                  .c_str());
}
