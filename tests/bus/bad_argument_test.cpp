// Every bad argument gets the error that the interface names, with the value in its text, and costs
// nothing else.
#include <unistd.h>

#include <cmath>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr const char* invalid_args = "org.freedesktop.DBus.Error.InvalidArgs";
constexpr const char* access_denied = "org.freedesktop.DBus.Error.AccessDenied";
constexpr const char* limits_exceeded = "org.freedesktop.DBus.Error.LimitsExceeded";

struct Setup {
    Setup() {
        camera.wait_for_state("streaming");
        camera.wait_for_result();
    }
    /// It goes on serving, and nothing of what was refused has stuck.
    void check_unharmed() {
        LONGS_EQUAL(generation, camera.number("Generation"));
        const uint64_t before = camera.counter("FramesProcessed");
        bench.client->wait_until("the service stands still",
                                 [&] { return camera.counter("FramesProcessed") > before + 1; });
        LONGS_EQUAL(256, camera.histogram().channels.at("Y").size());
        bench.daemon.stop();
    }

    Bench bench{{.config = camera_table({}), .gpu = on_cpu}};
    CameraClient camera = bench.camera();
    uint32_t generation = camera.number("Generation");
};

std::vector<RegionSpec> many_regions(size_t count) {
    std::vector<RegionSpec> regions;
    for (size_t i = 0; i < count; ++i) {
        regions.push_back({fmt::format("r{}", i), static_cast<int32_t>(i), 0, 10, 10});
    }
    return regions;
}

}  // namespace

TEST_GROUP(BadArgument){};

BUS_TEST(BadArgument, region_names_that_are_not_there) {
    Setup s;
    expect_error("RegionInvalid", "\"nowhere\"", [&] { (void)s.camera.histogram("nowhere"); });
    expect_error("RegionInvalid", "\"frame\"", [&] { (void)s.camera.histogram("nowhere"); });
    expect_error("RegionInvalid", "\"\"", [&] { (void)s.camera.histogram(""); });
    expect_error("RegionInvalid", "\"Frame\"", [&] { (void)s.camera.statistics("Frame"); });
    expect_error("RegionInvalid", "\"gone\"", [&] {
        s.camera.set_published_histograms({"frame", "gone"});
    });
    s.check_unharmed();
}

BUS_TEST(BadArgument, regions_that_do_not_fit) {
    Setup s;
    const auto refused = [&](const RegionSpec& region, const char* part) {
        expect_error("RegionInvalid", part, [&] { s.camera.set_regions({region}); });
    };
    refused({"left", -1, 0, 10, 10}, "(-1, 0)");
    refused({"top", 0, -2147483647 - 1, 10, 10}, "(0, -2147483648)");
    refused({"wide", 311, 0, 10, 10}, "10x10 at (311, 0)");
    refused({"tall", 0, 231, 10, 10}, "(0, 231)");
    refused({"huge", 1, 1, 4294967295U, 4294967295U}, "4294967295x4294967295");
    refused({"right", 320, 0, 1, 1}, "(320, 0)");
    refused({"flat", 0, 0, 10, 0}, "10x0");
    refused({"thin", 0, 0, 0, 10}, "0x10");
    refused({"frame", 0, 0, 10, 10}, "\"frame\"");
    refused({"", 0, 0, 10, 10}, "\"\"");
    refused({"Big", 0, 0, 10, 10}, "\"Big\"");
    refused({"9lives", 0, 0, 10, 10}, "\"9lives\"");
    refused({"with-dash", 0, 0, 10, 10}, "\"with-dash\"");
    refused({std::string(33, 'a'), 0, 0, 10, 10}, std::string(33, 'a').c_str());
    refused({"\xc3\xa4", 0, 0, 10, 10}, "\xc3\xa4");
    LONGS_EQUAL(s.generation, s.camera.number("Generation"));
    expect_error("RegionInvalid", "\"twin\"", [&] {
        s.camera.set_regions({{"twin", 0, 0, 10, 10}, {"twin", 20, 0, 10, 10}});
    });
    expect_error(limits_exceeded, "64", [&] { s.camera.set_regions(many_regions(65)); });
    // The most and the longest that are allowed.
    s.generation = s.camera.set_regions(many_regions(64));
    s.camera.wait_for_result(s.generation);
    LONGS_EQUAL(10, s.camera.histogram("r63").channels.at("Y")[63 * 256 / 320]);
    s.generation = s.camera.set_regions({{std::string(32, 'a'), 310, 230, 10, 10}});
    s.check_unharmed();
}

BUS_TEST(BadArgument, filters_that_do_not_exist) {
    Setup s;
    const std::vector<int16_t> nine(9, 1);
    const auto refused = [&](const char* part, const char* name, uint32_t width, uint32_t height,
                             const std::vector<int16_t>& coefficients, uint32_t shift) {
        expect_error("FilterInvalid", part,
                     [&] { s.camera.set_filter(name, width, height, coefficients, shift); });
    };
    refused("0x0", "custom", 0, 0, {}, 0);
    refused("4x4", "custom", 4, 4, std::vector<int16_t>(16, 1), 0);
    refused("3x5", "custom", 3, 5, std::vector<int16_t>(15, 1), 0);
    refused("33x33", "custom", 33, 33, std::vector<int16_t>(1089, 1), 0);
    // 961 x 8764 x 255
    refused("2147662020", "custom", 31, 31, std::vector<int16_t>(961, 8764), 0);
    refused("4294967295x4294967295", "custom", 4294967295U, 4294967295U, nine, 0);
    refused("8 coefficients", "custom", 3, 3, std::vector<int16_t>(8, 1), 0);
    refused("9 coefficients", "custom", 5, 5, nine, 0);
    refused("0 coefficients", "custom", 3, 3, {}, 0);
    refused("shift 32", "custom", 3, 3, nine, 32);
    refused("shift 4294967295", "custom", 3, 3, nine, 4294967295U);
    refused("\"blur\"", "blur", 0, 0, {}, 0);
    refused("\"\"", "", 0, 0, {}, 0);
    refused("\"binomial3\"", "binomial3", 3, 3, nine, 0);
    refused("\"box5\"", "box5", 0, 0, {}, 1);
    refused("\"none\"", "none", 3, 0, {}, 0);
    expect_error("FilterInvalid", "no filter is set", [&] { (void)s.camera.frame("filtered"); });
    // 25 x 32768 x 255 stays below 2^31.
    s.generation = s.camera.set_filter("custom", 5, 5, std::vector<int16_t>(25, -32768), 31);
    s.check_unharmed();
}

BUS_TEST(BadArgument, float_filters_that_do_not_exist) {
    Setup s;
    const auto refused = [&](const char* part, const char* name, uint32_t width, uint32_t height,
                             const std::vector<double>& coefficients) {
        expect_error("FilterInvalid", part,
                     [&] { s.camera.set_filter_float(name, width, height, coefficients); });
    };
    std::vector<double> nine(9, 0.5);
    refused("0x0", "custom", 0, 0, {});
    refused("3x5", "custom", 3, 5, std::vector<double>(15, 0.5));
    refused("33x33", "custom", 33, 33, std::vector<double>(1089, 0.5));
    refused("9 coefficients", "custom", 5, 5, nine);
    refused("\"box3\"", "box3", 0, 0, {});
    refused("\"none\"", "none", 0, 0, {});
    refused("2^127", "custom", 3, 3, std::vector<double>(9, 1e300));
    nine[8] = std::nan("");
    refused("coefficient 9 of 9 is nan", "custom", 3, 3, nine);
    expect_error("FilterInvalid", "no filter is set", [&] { (void)s.camera.frame("filtered"); });
    s.generation = s.camera.set_filter_float("custom", 3, 3, std::vector<double>(9, -1e34));
    s.check_unharmed();
}

BUS_TEST(BadArgument, stages_and_properties) {
    Setup s;
    expect_error(invalid_args, "\"cooked\"", [&] { (void)s.camera.frame("cooked"); });
    expect_error(invalid_args, "\"\"", [&] { (void)s.camera.frame(""); });
    expect_error(invalid_args, "3600000001", [&] { s.camera.set_publish_interval(3'600'000'001); });
    expect_error(invalid_args, "18446744073709551615",
                 [&] { s.camera.set_publish_interval(UINT64_MAX); });
    expect_error(limits_exceeded, "4", [&] {
        s.camera.set_published_histograms({"frame", "frame", "frame", "frame", "frame"});
    });
    LONGS_EQUAL(100'000, s.camera.counter("PublishIntervalUSec"));
    s.camera.set_publish_interval(3'600'000'000);
    s.camera.set_published_histograms({});
    const auto set = [&](const char* property, const char* type, auto value) {
        s.bench.client->call(s.camera.path(), properties_interface, "Set", "ssv", camera_interface,
                             property, type, value);
    };
    expect_error("org.freedesktop.DBus.Error.PropertyReadOnly", "State",
                 [&] { set("State", "s", "idle"); });
    expect_error("org.freedesktop.DBus.Error.UnknownProperty", "Colour",
                 [&] { set("Colour", "s", "red"); });
    expect_error(invalid_args, "", [&] { set("PublishIntervalUSec", "s", "soon"); });
    s.check_unharmed();
}

BUS_TEST(BadArgument, wrong_types_members_and_paths) {
    Setup s;
    Client& client = *s.bench.client;
    const std::string& path = s.camera.path();
    expect_error(invalid_args, "",
                 [&] { client.call(path, camera_interface, "GetHistogram", "u", 1U); });
    expect_error(invalid_args, "", [&] { client.call(path, camera_interface, "GetHistogram"); });
    expect_error(invalid_args, "", [&] { client.call(path, camera_interface, "Start", "s", "x"); });
    expect_error(invalid_args, "",
                 [&] { client.call(path, camera_interface, "SetRegions", "a(siiu)", 0); });
    // Only root's calls come through the policy with a member that it does not name.
    const bool root = ::geteuid() == 0;
    expect_error(root ? "org.freedesktop.DBus.Error.UnknownMethod" : access_denied, "Explode",
                 [&] { client.call(path, camera_interface, "Explode"); });
    expect_error("org.freedesktop.DBus.Error.UnknownObject", "elsewhere",
                 [&] { client.call("/org/glintd1/camera/elsewhere", camera_interface, "Start"); });
    s.check_unharmed();
}

BUS_TEST(BadArgument, a_stopped_camera_has_no_results) {
    Setup s;
    s.camera.stop();
    STRCMP_EQUAL("idle", s.camera.text("State").c_str());
    expect_error("NotStreaming", "front is idle", [&] { (void)s.camera.histogram(); });
    expect_error("NotStreaming", "front is idle", [&] { (void)s.camera.histogram("nowhere"); });
    expect_error("NotStreaming", "front is idle", [&] { (void)s.camera.statistics(); });
    expect_error("NotStreaming", "front is idle", [&] { (void)s.camera.frame(); });
    s.camera.start();
    s.camera.wait_for_result();
    s.check_unharmed();
}

BUS_TEST(BadArgument, a_region_refused_while_stopped_does_not_stick) {
    Setup s;
    s.camera.stop();
    expect_error("RegionInvalid", "\"Big\"", [&] { s.camera.set_regions({{"Big", 0, 0, 1, 1}}); });
    expect_error("RegionInvalid", "\"twin\"", [&] {
        s.camera.set_regions({{"twin", 0, 0, 1, 1}, {"twin", 0, 0, 1, 1}});
    });
    s.camera.start();
    s.camera.wait_for_result();
    s.check_unharmed();
}
