// What the keys of the configuration do, what stands without them, and how files are merged.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/gpu/filters.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;

namespace {

/// Parses texts, later ones over earlier ones; they are called 1.toml, 2.toml ...
ConfigResult parse(const std::vector<std::string>& texts) {
    std::vector<ConfigText> named;
    for (const std::string& text : texts) {
        named.push_back({std::to_string(named.size() + 1) + ".toml", text});
    }
    return parse_config(named);
}

Config config_of(const std::string& text) {
    ConfigResult result = parse({text});
    for (const std::string& warning : result.warnings) FAIL(warning.c_str());
    return std::move(result.config);
}

CameraConfig camera_of(const std::string& keys) {
    const Config config = config_of("[camera.front]\nsource = \"test:ramp\"\n" + keys);
    LONGS_EQUAL(1, config.cameras.size());
    return config.cameras[0];
}

gpu::Filter whole(const CameraConfig& camera) {
    return std::get<gpu::Filter>(camera.filter.value());
}

gpu::FloatFilter of_floats(const CameraConfig& camera) {
    return std::get<gpu::FloatFilter>(camera.filter.value());
}

void check_warnings(const std::vector<std::string>& texts,
                    const std::vector<std::string>& expected) {
    const ConfigResult result = parse(texts);
    LONGS_EQUAL(expected.size(), result.warnings.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        STRCMP_EQUAL(expected[i].c_str(), result.warnings[i].c_str());
    }
}

}  // namespace

TEST_GROUP(Configuration){};

TEST(Configuration, NothingGivesTheDefaults) {
    for (const std::vector<std::string>& texts : {std::vector<std::string>{},
                                                  {""},
                                                  {"# a comment\n", "\n"},
                                                  {"[gpu]\n[memory]\n[camera]\n"}}) {
        const ConfigResult result = parse(texts);
        LONGS_EQUAL(0, result.warnings.size());
        STRCMP_EQUAL("*", result.config.gpu.device.c_str());
        CHECK_TRUE(result.config.gpu.kernels == KernelSet::automatic);
        LONGS_EQUAL(2000, result.config.gpu.stall_timeout_ms);
        STRCMP_EQUAL("", result.config.gpu.cache_dir.c_str());
        STRCMP_EQUAL("", result.config.gpu.tuning_file.c_str());
        LONGS_EQUAL(0, result.config.gpu.variants.size());
        LONGS_EQUAL(256, result.config.memory.limit_mib);
        LONGS_EQUAL(0, result.config.cameras.size());
    }
}

TEST(Configuration, ACameraNeedsOnlyASource) {
    const CameraConfig camera = camera_of("");
    STRCMP_EQUAL("front", camera.name.c_str());
    STRCMP_EQUAL("test:ramp", camera.source.c_str());
    CHECK_FALSE(camera.width.has_value());
    CHECK_FALSE(camera.height.has_value());
    CHECK_FALSE(camera.format.has_value());
    CHECK_FALSE(camera.stride_override.has_value());
    CHECK_FALSE(camera.rate.has_value());
    CHECK_FALSE(camera.range.has_value());
    CHECK_FALSE(camera.filter.has_value());
    CHECK_FALSE(camera.metering.has_value());
    LONGS_EQUAL(256, camera.bins);
    CHECK_TRUE(!camera.transport.has_value());
    LONGS_EQUAL(5, camera.buffers);
    LONGS_EQUAL(100, camera.publish_interval_ms);
    CHECK_TRUE(camera.publish_histograms == std::vector<std::string>{"frame"});
    LONGS_EQUAL(0, camera.regions.size());
}

TEST(Configuration, EveryKeyOfTheGpuHasItsEffect) {
    const GpuConfig gpu = config_of(
                              "[gpu]\n"
                              "device = \"Portable*/cpu-*\"\n"
                              "kernels = \"ep\"\n"
                              "stall_timeout_ms = 100\n"
                              "cache_dir = \"/srv/cache\"\n"
                              "tuning_file = \"/srv/tuning.toml\"\n"
                              "[gpu.variant]\n"
                              "histogram = \"private_counters\"\n"
                              "convolution = \"cpu\"\n")
                              .gpu;
    STRCMP_EQUAL("Portable*/cpu-*", gpu.device.c_str());
    CHECK_TRUE(gpu.kernels == KernelSet::ep);
    LONGS_EQUAL(100, gpu.stall_timeout_ms);
    STRCMP_EQUAL("/srv/cache", gpu.cache_dir.c_str());
    STRCMP_EQUAL("/srv/tuning.toml", gpu.tuning_file.c_str());
    LONGS_EQUAL(2, gpu.variants.size());
    STRCMP_EQUAL("private_counters", gpu.variants.at("histogram").c_str());
    STRCMP_EQUAL("cpu", gpu.variants.at("convolution").c_str());
}

TEST(Configuration, EveryKernelSetIsUnderstood) {
    CHECK_TRUE(config_of("gpu.kernels = \"auto\"").gpu.kernels == KernelSet::automatic);
    CHECK_TRUE(config_of("gpu.kernels = \"fp\"").gpu.kernels == KernelSet::fp);
    CHECK_TRUE(config_of("gpu.kernels = \"cpu\"").gpu.kernels == KernelSet::cpu);
}

TEST(Configuration, MemoryHasALimit) {
    LONGS_EQUAL(1, config_of("[memory]\nlimit_mib = 1").memory.limit_mib);
    LONGS_EQUAL(65536, config_of("[memory]\nlimit_mib = 65536").memory.limit_mib);
}

TEST(Configuration, EveryKeyOfACameraHasItsEffect) {
    const CameraConfig camera = camera_of(
        "width = 641\n"
        "height = 65535\n"
        "format = \"Y16\"\n"
        "stride_override = 1344\n"
        "rate = 29.97\n"
        "range = \"limited\"\n"
        "transport = \"copy\"\n"
        "buffers = 32\n"
        "stall_timeout_ms = 0\n"
        "bins = 4096\n"
        "publish_interval_ms = 0\n"
        "publish_histograms = [\"sky\", \"frame\", \"metering\"]\n"
        "[camera.front.filter]\n"
        "kernel = \"box5\"\n"
        "[camera.front.metering]\n"
        "columns = 3\n"
        "rows = 2\n"
        "weights = [0, 1, 2, 3, 4, 255]\n"
        "[camera.front.region.sky]\n"
        "x = 1\n"
        "y = 2\n"
        "width = 3\n"
        "height = 4\n");
    LONGS_EQUAL(641, *camera.width);
    LONGS_EQUAL(65535, *camera.height);
    CHECK_TRUE(camera.format == zero_copy::PixelFormat::y16);
    LONGS_EQUAL(1344, *camera.stride_override);
    DOUBLES_EQUAL(29.97, *camera.rate, 1e-12);
    CHECK_TRUE(camera.range == zero_copy::Range::limited);
    CHECK_TRUE(camera.transport == zero_copy::Transport::copy);
    LONGS_EQUAL(32, camera.buffers);
    CHECK_TRUE(camera.stall_timeout_ms == 0U);
    LONGS_EQUAL(4096, camera.bins);
    LONGS_EQUAL(0, camera.publish_interval_ms);
    CHECK_TRUE((camera.publish_histograms == std::vector<std::string>{"sky", "frame", "metering"}));
    CHECK_TRUE(whole(camera) == gpu::named_filter("box5"));
    CHECK_TRUE((camera.metering == MeteringGrid{3, 2, {0, 1, 2, 3, 4, 255}}));
    LONGS_EQUAL(1, camera.regions.size());
    CHECK_TRUE((camera.regions[0] == RegionConfig{"sky", 1, 2, 3, 4}));
}

TEST(Configuration, EveryFormatCanBeNamed) {
    for (const auto& format : zero_copy::all_formats()) {
        const CameraConfig camera = camera_of("format = \"" + std::string(format.fourcc) + "\"\n");
        CHECK_TRUE(camera.format == format.format);
    }
}

TEST(Configuration, OtherWordsOfACamera) {
    CHECK_TRUE(!camera_of("transport = \"auto\"").transport.has_value());
    for (const auto& [word, transport] :
         {std::pair("dmabuf", zero_copy::Transport::dmabuf),
          std::pair("mmap", zero_copy::Transport::mmap),
          std::pair("userptr", zero_copy::Transport::userptr),
          std::pair("host_pages", zero_copy::Transport::host_pages)}) {
        CHECK_TRUE(camera_of(fmt::format("transport = \"{}\"", word)).transport == transport);
    }
    CHECK_TRUE(camera_of("range = \"full\"").range == zero_copy::Range::full);
    DOUBLES_EQUAL(25, *camera_of("rate = 25").rate, 0);  // a whole number is a number
    LONGS_EQUAL(0, camera_of("publish_histograms = []").publish_histograms.size());
}

TEST(Configuration, ControlsAreNumbersAndTruths) {
    const CameraConfig camera =
        camera_of("controls = { exposure = -3, auto = true, low_light = false, big = 5000000000 }");
    LONGS_EQUAL(4, camera.controls.size());
    LONGS_EQUAL(-3, camera.controls.at("exposure"));
    LONGS_EQUAL(1, camera.controls.at("auto"));
    LONGS_EQUAL(0, camera.controls.at("low_light"));
    CHECK(camera.controls.at("big") == 5'000'000'000);
}

TEST(Configuration, AMediaGraphIsLeftToOthersOrGivenInFull) {
    CHECK_FALSE(camera_of("").media.has_value());
    CHECK_FALSE(camera_of("media = \"external\"").media.has_value());
    const CameraConfig camera = camera_of(
        "[camera.front.media]\ndevice = \"/dev/media0\"\n"
        "links = ['\"s 1\":0 -> \"c\":0 [1]']\n"
        "pads = ['\"s 1\":0 [fmt:Y8_1X8/640x480]']\n");
    STRCMP_EQUAL("/dev/media0", camera.media->device.c_str());
    LONGS_EQUAL(1, camera.media->links.size());
    LONGS_EQUAL(1, camera.media->pads.size());
}

TEST(Configuration, HeapsAreTriedInTheOrderGiven) {
    LONGS_EQUAL(4, config_of("").memory.heaps.size());
    const Config config = config_of("[memory]\nheaps = [\"system\", \"udmabuf\"]\n");
    LONGS_EQUAL(2, config.memory.heaps.size());
    STRCMP_EQUAL("system", config.memory.heaps[0].c_str());
}

TEST(Configuration, BinsNeedNotBeAPowerOfTwo) {
    LONGS_EQUAL(300, camera_of("bins = 300").bins);
}

TEST(Configuration, AMeteringGridHasUpToThirtyTwoCellsEitherWay) {
    std::string weights = "1";
    for (int cell = 1; cell < 32 * 32; ++cell) weights += ", 1";
    const CameraConfig camera =
        camera_of("metering = { columns = 32, rows = 32, weights = [" + weights + "] }");
    LONGS_EQUAL(1024, camera.metering->weights.size());
    CHECK_TRUE((camera_of("metering = { columns = 1, rows = 1, weights = [7] }").metering ==
                MeteringGrid{1, 1, {7}}));
}

TEST(Configuration, ARegionStartsInTheCornerUnlessItSaysWhere) {
    const CameraConfig camera = camera_of("region.sky = { width = 3, height = 4 }");
    CHECK_TRUE((camera.regions[0] == RegionConfig{"sky", 0, 0, 3, 4}));
}

TEST(Configuration, RegionsAndCamerasComeByName) {
    const Config config = config_of(
        "[camera.b]\nsource = \"test:ramp\"\n"
        "[camera.b.region.z]\nwidth = 1\nheight = 1\n"
        "[camera.b.region.a]\nwidth = 2\nheight = 2\n"
        "[camera.a]\nsource = \"test:noise\"\n");
    LONGS_EQUAL(2, config.cameras.size());
    STRCMP_EQUAL("a", config.cameras[0].name.c_str());
    STRCMP_EQUAL("b", config.cameras[1].name.c_str());
    STRCMP_EQUAL("a", config.cameras[1].regions[0].name.c_str());
    STRCMP_EQUAL("z", config.cameras[1].regions[1].name.c_str());
}

TEST(Configuration, ACustomFilterIsRotatedFromOpenVxOrientation) {
    const std::string filter =
        "filter = { coefficients = [1, 2, 3, 4, 5, 6, 7, 8, -9], shift = 5 }";
    const std::vector<int16_t> given{1, 2, 3, 4, 5, 6, 7, 8, -9};
    CHECK_TRUE(whole(camera_of(filter)) == gpu::make_filter(3, 3, given, 5));
    LONGS_EQUAL(-9, whole(camera_of(filter)).coefficients[0]);
    std::string large = "filter = { kernel = \"custom\", coefficients = [1";
    for (int i = 1; i < 25; ++i) large += ", 0";
    LONGS_EQUAL(1, whole(camera_of(large + "] }")).coefficients[24]);
    LONGS_EQUAL(0, whole(camera_of(large + "] }")).shift);
}

TEST(Configuration, OneCoefficientThatIsWrittenAsARealNumberMakesAFilterOfFloats) {
    const std::vector<double> given{1, 0.25, 3, 4, 5, 6, 7, 8, -1e-3};
    const gpu::FloatFilter filter = of_floats(camera_of(
        "filter = { coefficients = [1, 0.25, 3, 4, 5, 6, 7, 8, -1e-3], border = 'constant', "
        "border_value = 9 }"));
    gpu::FloatFilter expected = gpu::make_float_filter(3, 3, given);
    expected.border = gpu::Border::constant;
    expected.border_value = 9;
    CHECK_TRUE(filter == expected);
    DOUBLES_EQUAL(-1e-3, filter.coefficients[0], 1e-9);  // rotated as whole ones are
    LONGS_EQUAL(5,
                of_floats(camera_of("filter = { kernel = 'custom', coefficients = [1.0, 0, 0, 0, "
                                    "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
                                    "0] }"))
                    .size);
}

TEST(Configuration, EveryNamedFilterIsUnderstood) {
    for (const char* name : {"binomial3", "box31", "gaussian7", "gaussian:1.5", "unsharp9",
                             "sharpen3", "laplacian3", "sobel_x3", "sobel_y3", "sobel"}) {
        const CameraConfig camera = camera_of("filter.kernel = \"" + std::string(name) + "\"");
        CHECK_TRUE(whole(camera) == gpu::named_filter(name));
    }
}

TEST(Configuration, AFilterSeesTheBorderThatIsAskedFor) {
    LONGS_EQUAL(gpu::Border::replicate, whole(camera_of("filter.kernel = 'box3'")).border);
    const auto mirrored = whole(camera_of("filter = { kernel = 'box3', border = 'reflect-101' }"));
    LONGS_EQUAL(gpu::Border::reflect_101, mirrored.border);
    const auto valued =
        whole(camera_of("filter = { kernel = 'box3', border = 'constant', border_value = 9 }"));
    LONGS_EQUAL(gpu::Border::constant, valued.border);
    LONGS_EQUAL(9, valued.border_value);
}

TEST(Configuration, ACustomFilterIsAsLargeAsItsCoefficients) {
    std::string line = "filter = { coefficients = [1";
    for (int i = 1; i < 961; ++i) line += ", 1";
    LONGS_EQUAL(31, whole(camera_of(line + "] }")).size);
}

TEST(Configuration, LaterTextsOverrideKeyByKey) {
    const ConfigResult result =
        parse({"[camera.front]\nsource = \"test:ramp\"\nwidth = 10\nheight = 20\n"
               "region.a = { x = 1, width = 5, height = 5 }\npublish_histograms = [\"a\"]\n",
               "[camera.front]\nwidth = 11\nregion.a.x = 2\nregion.b = { width = 1, height = 1 }\n",
               "[camera.front]\nwidth = 12\npublish_histograms = [\"b\"]\n"
               "[camera.rear]\nsource = \"test:noise\"\n"});
    LONGS_EQUAL(0, result.warnings.size());
    LONGS_EQUAL(2, result.config.cameras.size());
    const CameraConfig& front = result.config.cameras[0];
    STRCMP_EQUAL("test:ramp", front.source.c_str());
    LONGS_EQUAL(12, *front.width);
    LONGS_EQUAL(20, *front.height);
    LONGS_EQUAL(2, front.regions.size());
    CHECK_TRUE((front.regions[0] == RegionConfig{"a", 2, 0, 5, 5}));
    CHECK_TRUE(front.publish_histograms == std::vector<std::string>{"b"});
}

TEST(Configuration, AnOverriddenValueIsNotLookedAt) {
    const ConfigResult result =
        parse({"[gpu]\nkernels = \"nonsense\"\n", "[gpu]\nkernels = \"ep\"\n"});
    CHECK_TRUE(result.config.gpu.kernels == KernelSet::ep);
}

TEST(Configuration, UnknownKeysAreNamedWithFileLineAndColumn) {
    check_warnings({"[gpu]\n  colour = 1\n"}, {"1.toml:2:3: unknown key gpu.colour is ignored"});
    check_warnings({"verbose = true\n"}, {"1.toml:1:1: unknown key verbose is ignored"});
    check_warnings({"[memory]\nlimit_mib = 5\nlimit_mb = 5\n"},
                   {"1.toml:3:1: unknown key memory.limit_mb is ignored"});
    check_warnings({"[gpu.variant]\nhistograms = \"cpu\"\n"},
                   {"1.toml:2:1: unknown key gpu.variant.histograms is ignored"});
    check_warnings({"[camera.front]\nsource = \"test:ramp\"\nWidth = 5\n"},
                   {"1.toml:3:1: unknown key camera.front.Width is ignored"});
    check_warnings({"[camera.front]\nsource = \"test:ramp\"\n\n"
                    "[camera.front.region.a]\nwidth = 1\nheight = 1\ndepth = 1\n"},
                   {"1.toml:7:1: unknown key camera.front.region.a.depth is ignored"});
    check_warnings({"[camera.front]\nsource = \"test:ramp\"\n"
                    "filter = { kernel = \"box3\", colour = 1 }\n"},
                   {"1.toml:3:29: unknown key camera.front.filter.colour is ignored"});
    check_warnings({"[camera.front.metering]\ncolumns = 1\nrows = 1\nweights = [1]\nweight = 1\n"
                    "[camera.front]\nsource = \"test:ramp\"\n"},
                   {"1.toml:5:1: unknown key camera.front.metering.weight is ignored"});
}

TEST(Configuration, AnUnknownTableIsOneWarning) {
    check_warnings({"[alarms.dark]\nbelow = 3\nabove = 4\n"},
                   {"1.toml:1:2: unknown key alarms is ignored"});
}

TEST(Configuration, AWarningNamesTheFileOfItsKey) {
    check_warnings({"[gpu]\nkernels = \"ep\"\n", "\n[gpu]\n\ncolour = 1\n"},
                   {"2.toml:4:1: unknown key gpu.colour is ignored"});
}

TEST(Configuration, AnUnknownKeyDoesNotHideAKnownOne) {
    const ConfigResult result = parse({"[gpu]\ncolour = 1\nkernels = \"fp\"\n"});
    CHECK_TRUE(result.config.gpu.kernels == KernelSet::fp);
    LONGS_EQUAL(1, result.warnings.size());
}

TEST(Configuration, NamesAreLowerCaseLettersDigitsAndUnderscores) {
    for (const std::string& good : {std::string("a"), std::string("a0_z"), std::string(32, 'a')}) {
        CHECK_TRUE(valid_name(good));
    }
    for (const std::string& bad :
         {std::string(), std::string("A"), std::string("0a"), std::string("_a"), std::string("a-b"),
          std::string("a b"), std::string("a."), std::string("\xc3\xa4"), std::string("a\0", 2),
          std::string(33, 'a')}) {
        CHECK_FALSE(valid_name(bad));
    }
}
