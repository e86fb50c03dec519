// glintctl against the real service.
#include <png.h>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr uint32_t width = 322;
constexpr uint32_t height = 130;

struct Setup {
    explicit Setup(const char* format = "GREY")
        : bench({.config = camera_table({.source = "test:checker",
                                         .format = format,
                                         .width = width,
                                         .height = height}) +
                           "[camera.gone]\nsource = \"file:/nonexistent.pgm\"\n",
                 .gpu = on_cpu}) {}
    RunResult ctl(std::vector<std::string> words) {
        words.insert(words.begin(), GLINT_GLINTCTL);
        return run_program(std::move(words), daemon_environment(bench.bus.address()));
    }
    std::string output(std::vector<std::string> words) {
        const RunResult result = ctl(std::move(words));
        STRCMP_EQUAL("", result.errors.c_str());
        LONGS_EQUAL(0, result.code);
        return result.output;
    }
    void refused(std::vector<std::string> words, int code, const std::string& part) {
        const RunResult result = ctl(std::move(words));
        LONGS_EQUAL(code, result.code);
        STRCMP_CONTAINS(part.c_str(), result.errors.c_str());
        STRCMP_EQUAL("", result.output.c_str());
    }

    /// Waits until what has been asked for last is measured.
    void wait_for_change() {
        const CameraClient camera = bench.camera();
        camera.wait_for_result(camera.number("Generation"));
    }
    /// Counts of the newest histogram's channel Y, all together.
    uint64_t samples(const std::string& region = "frame");

    Bench bench;
};

void check_contains(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) STRCMP_CONTAINS(part.c_str(), text.c_str());
}

uint32_t big_endian(const std::string& bytes, size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes.at(at + i));
    return value;
}

/// Of a grey picture: signature, then IHDR: length 13, name, width, height, depth, colour type.
void check_png(const std::filesystem::path& file, int depth = 8) {
    const std::string bytes = read_file(file);
    CHECK(bytes.starts_with("\x89PNG\r\n\x1a\n"));
    LONGS_EQUAL(13, big_endian(bytes, 8));
    STRCMP_EQUAL("IHDR", bytes.substr(12, 4).c_str());
    LONGS_EQUAL(width, big_endian(bytes, 16));
    LONGS_EQUAL(height, big_endian(bytes, 20));
    LONGS_EQUAL(depth, bytes.at(24));
    LONGS_EQUAL(0, bytes.at(25));
    CHECK(contains(bytes, "IEND"));
}

/// Of the JSON on its input: what the expression gives for the object d.
std::string python(const TemporaryFolder& folder, const std::string& json,
                   const std::string& expression) {
    write_file(folder / "text.json", json);
    const RunResult result =
        run_program({GLINT_PYTHON, "-c",
                     fmt::format("import json; d = json.load(open('{}')); print({}, end='')",
                                 (folder / "text.json").string(), expression)});
    STRCMP_EQUAL("", result.errors.c_str());
    return result.output;
}

uint64_t Setup::samples(const std::string& region) {
    const std::string json = output({"histogram", "front", "--region", region, "--json"});
    return std::stoull(python(bench.folder, json, "sum(d['channels']['Y'])"));
}

/// A PNG of one byte for each channel and pixel; 0 right of `open_columns`, 1 elsewhere.
std::string write_png(const std::filesystem::path& file, png_uint_32 format, png_uint_32 columns,
                      png_uint_32 rows, png_uint_32 open_columns) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = columns;
    image.height = rows;
    image.format = format;
    std::vector<uint8_t> bytes(PNG_IMAGE_SIZE(image), 0);
    const size_t pixel = bytes.size() / columns / rows;
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = i / pixel % columns < open_columns;
    CHECK(png_image_write_to_file(&image, file.c_str(), 0, bytes.data(), 0, nullptr) != 0);
    return file.string();
}

}  // namespace

TEST_GROUP(Ctl){};

BUS_TEST(Ctl, status_and_list) {
    Setup s;
    s.bench.camera().wait_for_result();
    check_contains(s.output({"status"}), {"glintd " GLINT_VERSION, "front streaming", "gone absent",
                                          "test:checker", "322x130", "none: the CPU measures"});
    check_contains(s.output({"list"}),
                   {"front", "streaming", "GREY", "322x130", "test:checker", "gone", "absent"});
    s.bench.daemon.stop();
}

BUS_TEST(Ctl, explain_and_controls) {
    Setup s;
    s.bench.camera().wait_for_result();
    check_contains(s.output({"explain", "front"}),
                   {"front is streaming", "host_pages", "in use: glintd fills pages of its own",
                    "zero copy: no", "bytes copied so far: 0"});
    check_contains(s.output({"controls", "front"}), {"front has no controls"});
    s.bench.daemon.stop();
}

BUS_TEST(Ctl, histogram_and_statistics) {
    Setup s;
    s.bench.camera().wait_for_result();
    const std::string json = s.output({"histogram", "front", "--json"});
    const TemporaryFolder& folder = s.bench.folder;
    STRCMP_EQUAL("front frame 8 1 256", python(folder, json,
                                               "d['camera'], d['region'], d['bit_depth'], "
                                               "d['bin_width'], len(d['channels']['Y'])")
                                            .c_str());
    STRCMP_EQUAL(std::to_string(width * height).c_str(),
                 python(folder, json, "sum(d['channels']['Y'])").c_str());
    STRCMP_EQUAL(std::to_string(width * height).c_str(),
                 python(folder, json, "d['channels']['Y'][32] + d['channels']['Y'][224]").c_str());
    const std::string statistics = s.output({"statistics", "front", "--json"});
    STRCMP_EQUAL("32.0 224.0", python(folder, statistics,
                                      "float(d['channels']['Y']['minimum']), "
                                      "float(d['channels']['Y']['maximum'])")
                                   .c_str());
    check_contains(s.output({"histogram", "front"}), {"# camera front region frame"});
    check_contains(s.output({"statistics", "front"}), {"mean", "entropy"});
    s.bench.daemon.stop();
}

BUS_TEST(Ctl, snapshots) {
    Setup s;
    s.bench.camera().wait_for_result();
    const std::filesystem::path raw = s.bench.folder / "raw.png";
    const std::filesystem::path filtered = s.bench.folder / "filtered.png";
    check_contains(s.output({"snapshot", "front", "-o", raw.string()}), {"322x130", "raw"});
    check_png(raw);
    s.refused({"snapshot", "front", "--stage", "filtered", "-o", filtered.string()}, 1,
              "SetFilter");
    CHECK(!std::filesystem::exists(filtered));
    s.output({"filter", "front", "sobel_x3"});
    s.output({"snapshot", "front", "--stage", "filtered", "-o", filtered.string()});
    check_png(filtered);
    CHECK(read_file(raw) != read_file(filtered));
    check_contains(
        s.output({"filter", "front", "custom", "0", "0", "0", "0", "-0.5", "0", "0", "0", "1e-1"}),
        {"filter custom from generation 3"});
    s.output({"snapshot", "front", "--stage", "filtered", "-o", filtered.string()});
    check_png(filtered);
    s.bench.daemon.stop();
}

BUS_TEST(Ctl, regions_watch_start_and_stop) {
    Setup s;
    s.output({"regions", "front", "left:0,0,160,130", "dot:321,129,1,1"});
    check_contains(s.output({"regions", "front"}), {"left:0,0,160,130", "dot:321,129,1,1"});
    s.bench.camera().wait_for_result(s.bench.camera().number("Generation"));
    check_contains(s.output({"histogram", "front", "--region", "dot"}), {"region dot"});
    const std::string watched = s.output({"watch", "front", "--count", "2"});
    LONGS_EQUAL(2, count_of(watched, "\n"));
    check_contains(watched, {"Y.mean=127.99"});
    s.output({"stop", "front"});
    STRCMP_EQUAL("idle", s.bench.camera().text("State").c_str());
    s.refused({"histogram", "front"}, 1, "idle");
    s.output({"start", "front"});
    STRCMP_EQUAL("streaming", s.bench.camera().text("State").c_str());
    s.bench.daemon.stop();
}

BUS_TEST(Ctl, bins) {
    Setup s("Y10");
    s.bench.camera().wait_for_result();
    STRCMP_EQUAL("256\n", s.output({"bins", "front"}).c_str());
    check_contains(s.output({"bins", "front", "300"}), {"front: 300 bins from generation "});
    s.wait_for_change();
    STRCMP_EQUAL("300\n", s.output({"bins", "front"}).c_str());
    check_contains(s.output({"status"}), {"bins        300"});
    // Dark squares are 128 of 1024, which is in bin 37; the smallest value there is 127. Bright
    // ones are 896.
    const std::string table = s.output({"histogram", "front"});
    check_contains(table, {"bin_width 0", "\n       127      20932", "\n       895      20928"});
    LONGS_EQUAL(302, count_of(table, "\n"));
    s.output({"bins", "front", "1024"});
    s.wait_for_change();
    check_contains(s.output({"histogram", "front"}),
                   {"bin_width 1", "\n       128      20932", "\n       896      20928"});
    s.refused({"bins", "front", "302"}, 1, "302 bins; allowed are multiples of 4 from 256 to 4096");
    s.refused({"bins", "front", "2048"}, 1, "samples of 10 bits have 1024 values");
    s.refused({"bins", "front", "many"}, 2, "many");
    s.refused({"bins", "nobody"}, 1, "nobody");
    s.bench.daemon.stop();
}

BUS_TEST(Ctl, metering) {
    Setup s;
    s.bench.camera().wait_for_result();
    check_contains(s.output({"metering", "front", "2", "1", "1", "3"}),
                   {"front: metering grid 2x1 from generation "});
    s.wait_for_change();
    LONGS_EQUAL(width / 2 * height * (1 + 3), s.samples("metering"));
    LONGS_EQUAL(width * height, s.samples());
    check_contains(s.output({"statistics", "front", "--region", "metering"}), {"samples"});
    check_contains(s.output({"watch", "front", "--region", "metering", "--count", "1"}),
                   {"Y.mean="});
    s.refused({"metering", "front", "2", "1", "1"}, 2, "a grid of 2x1 has 2 weights, here are 1");
    s.refused({"metering", "front", "1", "2", "0", "0"}, 1, "every weight");
    s.refused({"metering", "front"}, 2, "--off");
    s.refused({"metering", "front", "--off", "1", "1", "1"}, 2, "--off");
    check_contains(s.output({"metering", "front", "--off"}),
                   {"front: no metering from generation "});
    s.wait_for_change();
    s.refused({"histogram", "front", "--region", "metering"}, 1, "\"metering\"");
    s.refused({"watch", "front", "--region", "metering"}, 1, "'glintctl metering --help'");
    s.bench.daemon.stop();
}

BUS_TEST(Ctl, mask) {
    Setup s;
    s.bench.camera().wait_for_result();
    const auto png = [&](const char* name, png_uint_32 format, uint32_t columns) {
        return write_png(s.bench.folder / name, format, columns, height, 100);
    };
    const std::string mask = png("mask.png", PNG_FORMAT_GRAY, width);
    check_contains(s.output({"mask", "front", mask}),
                   {"front: 13000 of 41860 pixels count from generation "});
    s.wait_for_change();
    LONGS_EQUAL(100 * height, s.samples());
    s.refused({"mask", "front", png("narrow.png", PNG_FORMAT_GRAY, width - 1)}, 1,
              "321x130 pixels, the frames 322x130");
    s.refused({"mask", "front", png("colour.png", PNG_FORMAT_RGB, width)}, 1, "RGB colours");
    s.refused({"mask", "front", "/nonexistent/mask.png"}, 1, "/nonexistent/mask.png");
    s.refused({"mask", "gone", mask}, 1, "glintctl start gone");
    s.refused({"mask", "front"}, 2, "FILE.png or --off");
    s.refused({"mask", "front", mask, "--off"}, 2, "--off");
    LONGS_EQUAL(100 * height, s.samples());
    check_contains(s.output({"mask", "front", "--off"}), {"front: no mask from generation "});
    s.wait_for_change();
    LONGS_EQUAL(width * height, s.samples());
    s.bench.daemon.stop();
}

BUS_TEST(Ctl, streams_pictures_to_a_player) {
    Setup s;
    s.bench.camera().wait_for_state("streaming");
    const RunResult result = s.ctl({"stream", "front", "--count", "2"});
    LONGS_EQUAL(0, result.code);
    STRCMP_EQUAL("glintctl: raw GREY 322x130 full range\n", result.errors.c_str());
    LONGS_EQUAL(2 * width * height, result.output.size());
    for (uint32_t i = 0; i < result.output.size(); ++i) {
        const uint32_t x = i % width;
        const uint32_t y = i / width % height;
        BYTES_EQUAL((x / 8 + y / 8) % 2 == 0 ? 32 : 224, static_cast<uint8_t>(result.output[i]));
    }
    s.refused({"stream", "front", "filtered"}, 1, "SetFilter");
    s.refused({"stream", "front", "histograms"}, 2, "histograms");
    s.refused({"stream", "gone"}, 1, "gone");
}

BUS_TEST(Ctl, mosaics_have_four_channels_and_a_grey_snapshot) {
    Setup s("pgAA");
    s.bench.camera().wait_for_result();
    check_contains(s.output({"histogram", "front"}), {"R         Gr         Gb          B\n"});
    check_contains(s.output({"watch", "front", "--count", "1"}),
                   {" R.mean=", " Gr.mean=", " Gb.mean=", " B.mean="});
    const std::filesystem::path file = s.bench.folder / "raw.png";
    check_contains(s.output({"snapshot", "front", "-o", file.string()}), {"from 'pgAA'"});
    check_png(file, 16);
    s.bench.daemon.stop();
}

BUS_TEST(Ctl, errors) {
    Setup s;
    s.bench.camera().wait_for_result();
    s.refused({"histogram", "nobody"}, 1, "nobody");
    s.refused({"histogram", "front", "--region", "nowhere"}, 1, "nowhere");
    s.refused({"start", "gone"}, 1, "/nonexistent.pgm");
    s.refused({"snapshot", "front", "-o", "/nonexistent/a.png"}, 1, "/nonexistent/a.png");
    s.refused({"filter", "front", "blur"}, 1, "blur");
    s.refused({"retry-gpu"}, 1, "kernels = \"cpu\"");
    s.refused({"histogram"}, 2, "CAMERA");
    s.refused({"paint", "front"}, 2, "'paint'");
    s.refused({"snapshot", "front", "--stage", "cooked", "-o", "a.png"}, 2, "cooked");
    s.bench.daemon.stop();
    s.refused({"status"}, 1, "glintd");
}

BUS_TEST(Ctl, without_a_bus) {
    const RunResult result =
        run_program({GLINT_GLINTCTL, "status"}, daemon_environment("unix:path=/nonexistent/bus"));
    LONGS_EQUAL(1, result.code);
    STRCMP_CONTAINS("bus", result.errors.c_str());
}
