// Tables: the built-in ones, a user's own, and what other programs write of a real board.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/layer/api/child.hpp"
#include "tests/layer/api/played.hpp"
#include "tests/layer/profile.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer;
using namespace glint::layer::test;

namespace {

/// Empty if the text is a profile.
std::string refusal(std::string_view text, const std::string& wanted = {}) {
    try {
        (void)parse_profile(text, "own.toml", wanted);
    } catch (const ProfileError& error) {
        return error.what();
    }
    return {};
}

void check_refused(std::string_view text, const char* why, const std::string& wanted = {}) {
    STRCMP_CONTAINS(why, refusal(text, wanted).c_str());
}

std::string with_line(std::string_view line) {
    return fmt::format("[mine]\ninherits = \"gc2000\"\n{}\n", line);
}

std::string without_blanks(std::string text) {
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

/// What can be told through the other program's output is the same again.
void check_same_device(const Profile& expected, const Profile& actual) {
    STRCMP_EQUAL(expected.devices.front().c_str(), actual.devices.front().c_str());
    LONGS_EQUAL(expected.version(), actual.version());
    for (const cl_device_info text :
         std::vector<cl_device_info>{CL_DEVICE_VERSION, CL_DEVICE_PROFILE, CL_DEVICE_EXTENSIONS,
                                     CL_DEVICE_OPENCL_C_VERSION, CL_DRIVER_VERSION}) {
        STRCMP_EQUAL(without_blanks(expected.text(text)).c_str(),
                     without_blanks(actual.text(text)).c_str());
    }
    for (const cl_device_info number : std::vector<cl_device_info>{
             CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_LOCAL_MEM_TYPE,
             CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_MAX_MEM_ALLOC_SIZE, CL_DEVICE_MAX_COMPUTE_UNITS,
             CL_DEVICE_MEM_BASE_ADDR_ALIGN, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_DEVICE_IMAGE_SUPPORT,
             CL_DEVICE_PROFILING_TIMER_RESOLUTION, CL_DEVICE_TYPE}) {
        LONGS_EQUAL(expected.number(number), actual.number(number));
    }
    CHECK(expected.sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES) ==
          actual.sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES));
    CHECK(expected.platform.at(CL_PLATFORM_NAME) == actual.platform.at(CL_PLATFORM_NAME));
    LONGS_EQUAL(expected.preferred_work_group_size_multiple,
                actual.preferred_work_group_size_multiple);
}

std::string output_under_the_layer(const std::string& profile,
                                   const std::vector<std::string>& command) {
    play(profile, {{"MEMORY", "pass"}});
    const Outcome outcome = run_program(command);
    LONGS_EQUAL(0, outcome.code);
    return outcome.out;
}

std::string probe_of(const std::string& profile) {
    return output_under_the_layer(profile, {GLINT_GLINTD, "--probe", "--json"});
}

std::string clinfo_of(const std::string& profile) {
    return output_under_the_layer(profile, {GLINT_CLINFO, "--raw"});
}

/// A program finds the same device when the file is played.
void check_playable(const std::string& file, const char* name, const char* version) {
    const Played played(file);
    LONGS_EQUAL(1, played.devices.size());
    STRCMP_EQUAL(name, played.text(CL_DEVICE_NAME).c_str());
    STRCMP_CONTAINS(version, played.text(CL_DEVICE_VERSION).c_str());
    const cl_kernel kernel =
        played.kernel("__kernel void k(__global uint* out) { out[0] = 5; }", "k");
    const cl_mem out = played.buffer(4);
    Played::set(kernel, 0, out);
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {1}));
    LONGS_EQUAL(5, played.read(out, 1)[0]);
    LONGS_EQUAL(CL_INVALID_GLOBAL_WORK_SIZE, played.launch(kernel, {65537}));
}

/// Cut off anywhere, it is an error or a smaller table, and never the end of the process.
void check_any_cut(std::string_view text, size_t step) {
    for (size_t length = 0; length < text.size(); length += step) {
        (void)refusal(text.substr(0, length));
    }
}

}  // namespace

TEST_GROUP(Profiles){};

TEST(Profiles, BuiltIn) {
    const std::vector<std::string> names = profile_names();
    STRCMP_EQUAL("gc2000 gc2000plus gc7000l gc7000l-localmem gc7000ul gc7000xsvx",
                 fmt::format("{}", fmt::join(names, " ")).c_str());
    for (const std::string& name : names)
        STRCMP_EQUAL(name.c_str(), load_profile(name).name.c_str());
}

TEST(Profiles, WhatTheySay) {
    const Profile small = load_profile("gc2000");
    LONGS_EQUAL(110, small.version());
    STRCMP_EQUAL("EMBEDDED_PROFILE", small.text(CL_DEVICE_PROFILE).c_str());
    LONGS_EQUAL(CL_GLOBAL, small.number(CL_DEVICE_LOCAL_MEM_TYPE));
    LONGS_EQUAL(0x564956, small.number(CL_DEVICE_VENDOR_ID));
    LONGS_EQUAL(CL_FP_INF_NAN | CL_FP_ROUND_TO_ZERO, small.number(CL_DEVICE_SINGLE_FP_CONFIG));
    LONGS_EQUAL(512, small.beyond.instructions);
    LONGS_EQUAL(65536, small.beyond.global_size_limit);  // inherited
    CHECK(small.has_extension("cl_khr_byte_addressable_store"));
    CHECK_FALSE(small.has_extension("cl_khr_byte_addressable"));
    CHECK(small.compiler().scalar_int);
    LONGS_EQUAL(2, load_profile("gc7000ul").devices.size());
    LONGS_EQUAL(CL_LOCAL, load_profile("gc7000l-localmem").number(CL_DEVICE_LOCAL_MEM_TYPE));
}

TEST(Profiles, UnknownNamesAreToldOfTheKnown) {
    std::string message;
    try {
        (void)load_profile("gc9000");
    } catch (const ProfileError& error) {
        message = error.what();
    }
    STRCMP_CONTAINS("\"gc9000\"", message.c_str());
    STRCMP_CONTAINS("gc2000, gc2000plus, gc7000l", message.c_str());
}

TEST(Profiles, OwnTableInherits) {
    const Profile profile = parse_profile(with_line("max_compute_units = 3\n[mine.beyond]\n"
                                                    "work_group_limits = [7]"),
                                          "own.toml", "");
    STRCMP_EQUAL("mine", profile.name.c_str());
    STRCMP_EQUAL("GC2000", profile.devices.front().c_str());
    LONGS_EQUAL(3, profile.number(CL_DEVICE_MAX_COMPUTE_UNITS));
    LONGS_EQUAL(1024, profile.number(CL_DEVICE_LOCAL_MEM_SIZE));
    LONGS_EQUAL(1, profile.beyond.work_group_limits.size());
    LONGS_EQUAL(512, profile.beyond.instructions);
}

TEST(Profiles, OwnFileIsPlayed) {
    const TemporaryFile file(
        "[a]\ninherits = \"gc2000\"\n[b]\ninherits = \"a\"\nname = \"MINE\"\n");
    check_playable(file.path() + ":b", "MINE", "OpenCL 1.1");
}

TEST(Profiles, TwoTablesNeedAChoice) {
    const std::string two = "[a]\ninherits = \"gc2000\"\n[b]\ninherits = \"gc7000l\"\n";
    check_refused(two, "own.toml holds 2 profiles (a, b); say which: own.toml:PROFILE");
    STRCMP_EQUAL("", refusal(two, "b").c_str());
    check_refused(two, "there is no profile \"c\"", "c");
}

TEST(Profiles, Mistakes) {
    check_refused("", "holds 0 profiles");
    check_refused("[mine\n", "own.toml:1:");
    check_refused(with_line("max_work_grup_size = 3"), "nothing is called \"max_work_grup_size\"");
    check_refused(with_line("[mine.beyond]\nglobal = 3"), "nothing is called \"global\"");
    check_refused(with_line("max_samplers = true"), "max_samplers must be a number");
    check_refused(with_line("max_samplers = -1"), "max_samplers must be a number of at least 0");
    check_refused(with_line("max_samplers = 1.5"), "max_samplers must be a number");
    check_refused(with_line("image_support = 1"), "image_support must be true or false");
    check_refused(with_line("vendor = 3"), "vendor must be a text");
    check_refused(with_line("max_work_item_sizes = 3"), "max_work_item_sizes must be a list");
    check_refused(with_line("max_work_item_sizes = [0]"), "must be a list of positive numbers");
    check_refused(with_line("local_mem_type = \"CL_LOCL\""), "names of OpenCL constants");
    check_refused(with_line("name = [1]"), "name must be a list of texts");
    check_refused(with_line("version = \"1.1\""), "version is \"1.1\", \"OpenCL 1.1 ...\" is");
    check_refused("[mine]\ninherits = 3\n", "inherits must be a text");
    check_refused("[mine]\ninherits = \"gc9000\"\n", "there is no profile \"gc9000\"");
    check_refused("[a]\ninherits = \"b\"\n[b]\ninherits = \"a\"\n", "there is no profile", "a");
    check_refused("[mine]\nversion = \"OpenCL 1.1 \"\nname = 3\n", "profile mine has no name");
}

TEST(Profiles, ProbeOutputIsATable) {
    const std::string probe = probe_of("gc7000l");
    const Profile profile = parse_profile(probe, "probe.json", "");
    check_same_device(load_profile("gc7000l"), profile);
    // Each limit that a kernel of the probe's had is one of the real device's.
    CHECK(!profile.beyond.work_group_limits.empty());
    const std::vector<uint64_t> real = load_profile("gc7000l").beyond.work_group_limits;
    for (const uint64_t limit : profile.beyond.work_group_limits) {
        CHECK(std::find(real.begin(), real.end(), limit) != real.end());
    }
    const TemporaryFile file(probe);
    check_playable(file.path(), "GC7000L.6214", "OpenCL 1.2");
    check_refused(std::string_view(probe).substr(0, probe.size() / 2),
                  "own.toml is not the output of `glintd --probe --json`");
    check_any_cut(probe, 97);
}

TEST(Profiles, ClinfoOutputIsATable) {
    const std::string clinfo = clinfo_of("gc7000ul");
    const Profile profile = parse_profile(clinfo, "clinfo.txt", "");
    check_same_device(load_profile("gc7000ul"), profile);
    LONGS_EQUAL(1, profile.devices.size());  // the first, which a program would take
    const Profile original = load_profile("gc7000ul");
    for (const cl_device_info number : std::vector<cl_device_info>{
             CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_VENDOR_ID,
             CL_DEVICE_MAX_PARAMETER_SIZE, CL_DEVICE_QUEUE_PROPERTIES,
             CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE}) {
        LONGS_EQUAL(original.number(number), profile.number(number));
    }
    const TemporaryFile file(clinfo);
    check_playable(file.path(), "GC7000UL", "OpenCL 1.2");
    check_any_cut(clinfo, 97);
}

TEST(Profiles, JsonOfOtherThings) {
    constexpr const char* complaint = "is not the output of `glintd --probe --json`";
    for (const char* text :
         {"{", "{}", "{\"opencl\": 3}", "{\"opencl\": {\"device\": []}}",
          "{\"opencl\": {\"device\": [3]}}", "{\"opencl\": {\"device\": {\"0\": 1}}}",
          "{\"opencl\": {\"device\": [{\"profile\": 3}]}}",
          "{\"opencl\": {\"device\": [{\"profile\": \"FULL_PROFILE\", \"max_work_item\": 3}]}}",
          "{\"opencl\": {\"device\": [{\"profile\": \"FULL_PROFILE\", \"variant\": [3]}]}}"}) {
        check_refused(text, complaint);
    }
    check_refused("{\"opencl\": {\"device\": [{\"profile\": \"FULL_PROFILE\", \"name\": \"X\"}]}}",
                  "version is \"\"");
    // A machine without a device has nothing to play.
    check_refused("{\"opencl\": {\"problem\": \"no device\"}}", complaint);
}

TEST(Profiles, GarbageDoesNoHarm) {
    std::string garbage;
    uint32_t state = 1;
    for (int i = 0; i < 5000; ++i) {
        state = state * 1664525U + 1013904223U;
        garbage += static_cast<char>(state >> 24);
    }
    CHECK(!refusal(garbage).empty());
    CHECK(!refusal("{" + garbage).empty());
    CHECK(!refusal("CL_DEVICE_VERSION " + garbage).empty());
    CHECK(!refusal(std::string(20000, '[')).empty());
    CHECK(!refusal(std::string(20000, '{')).empty());
    CHECK(!refusal("CL_DEVICE_VERSION\nCL_\nCL_DEVICE_NAME").empty());
    CHECK(!refusal("[VIV/0] CL_DEVICE_VERSION OpenCL 1.2\n").empty());
}
