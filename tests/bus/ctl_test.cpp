// glintctl against the real service.
#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr uint32_t width = 322;
constexpr uint32_t height = 130;

struct Setup {
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

    Bench bench{
        {.config = camera_table({.source = "test:checker", .width = width, .height = height}) +
                   "[camera.gone]\nsource = \"file:/nonexistent.pgm\"\n",
         .gpu = on_cpu}};
};

void check_contains(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) STRCMP_CONTAINS(part.c_str(), text.c_str());
}

uint32_t big_endian(const std::string& bytes, size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes.at(at + i));
    return value;
}

/// Signature, then IHDR: length 13, name, width, height, bit depth, colour type.
void check_png(const std::filesystem::path& file) {
    const std::string bytes = read_file(file);
    CHECK(bytes.starts_with("\x89PNG\r\n\x1a\n"));
    LONGS_EQUAL(13, big_endian(bytes, 8));
    STRCMP_EQUAL("IHDR", bytes.substr(12, 4).c_str());
    LONGS_EQUAL(width, big_endian(bytes, 16));
    LONGS_EQUAL(height, big_endian(bytes, 20));
    LONGS_EQUAL(8, bytes.at(24));
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
