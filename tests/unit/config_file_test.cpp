// Files of the configuration: what cannot be read, what is no TOML, and the one that is shipped.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "daemon/config.hpp"
#include "daemon/names.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

std::string read_error(const std::filesystem::path& path) {
    return text_thrown<ConfigError>([&] { (void)read_config(path); });
}

std::string parse_error(const std::string& text) {
    return text_thrown<ConfigError>([&] { (void)parse_config({{"bad.toml", text}}); });
}

std::string repeated(const std::string& text, size_t count) {
    std::string result;
    for (size_t i = 0; i < count; ++i) result += text;
    return result;
}

/// The file of the source tree, or, where these tests are installed, of the system.
ConfigText shipped() {
    const bool in_tree = std::filesystem::exists(GLINT_SHIPPED_CONFIG);
    return read_config(in_tree ? GLINT_SHIPPED_CONFIG : names::shipped_config);
}

/// "# key = value" becomes "key = value"; "## prose" stays a comment.
std::string uncommented(const std::string& text) {
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line); result += line + '\n') {
        if (line.starts_with("# ")) line.erase(0, 2);
    }
    return result;
}

/// Whether parsing ends in a result or a ConfigError, found out by a child that may crash.
bool survives(const std::string& text) {
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
        (void)parse_error(text);
        ::_exit(0);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_GROUP(ConfigurationFiles) {
    glint::fakes::TemporaryFolder folder;
};

TEST(ConfigurationFiles, ATextComesWithItsPath) {
    const std::string path = folder.write("a.toml", "[gpu]\n");
    const ConfigText text = read_config(path);
    STRCMP_EQUAL(path.c_str(), text.path.c_str());
    STRCMP_EQUAL("[gpu]\n", text.text.c_str());
    folder.write("a.toml", "");
    STRCMP_EQUAL("", read_config(path).text.c_str());
}

TEST(ConfigurationFiles, NullBytesAreNotTheEnd) {
    const std::string bytes("a\0b", 3);
    CHECK_TRUE(read_config(folder.write("a.toml", bytes)).text == bytes);
}

TEST(ConfigurationFiles, AMissingFileIsNamed) {
    const std::string path = folder.file("none.toml");
    STRCMP_EQUAL("", missing_in(read_error(path), {path, "No such file"}).c_str());
}

TEST(ConfigurationFiles, AFolderIsNoFile) {
    const std::string path = folder.path().string();
    STRCMP_EQUAL("", missing_in(read_error(path), {path, "directory"}).c_str());
}

TEST(ConfigurationFiles, AHugeFileIsRefusedWithTheLimit) {
    const std::string whole(max_config_bytes, '#');
    LONGS_EQUAL(max_config_bytes, read_config(folder.write("a.toml", whole)).text.size());
    const std::string path = folder.write("a.toml", whole + '#');
    STRCMP_EQUAL("",
                 missing_in(read_error(path), {path, std::to_string(max_config_bytes)}).c_str());
    STRCMP_EQUAL(
        "", missing_in(read_error("/dev/zero"), {"/dev/zero", std::to_string(max_config_bytes)})
                .c_str());
}

TEST(ConfigurationFiles, WhatIsNoTomlIsRefusedWithItsPlace) {
    STRCMP_EQUAL("", missing_in(parse_error("[gpu]\nkernels = \n"), {"bad.toml:2:"}).c_str());
    for (const std::string& text :
         {std::string("[gpu\n"), std::string("gpu = = 1"), std::string("a = 1\na = 2\n"),
          std::string("[gpu]\n[gpu]\n"), std::string("= 1"), std::string("a = \"open"),
          std::string("a = 99999999999999999999"), std::string("kernels = ep"),
          std::string("a = 0x"), std::string("[gpu]\nkernels : ep\n"), std::string("{\"gpu\": {}}"),
          std::string("a = [1, 2")}) {
        STRCMP_EQUAL("", missing_in(parse_error(text), {"bad.toml:"}).c_str());
    }
}

TEST(ConfigurationFiles, BinaryTextIsRefused) {
    std::string noise(4096, '\0');
    uint32_t state = 0x9e3779b9;
    for (int round = 0; round < 50; ++round) {
        for (char& c : noise) {
            state = state * 1664525 + 1013904223;
            c = static_cast<char>(state >> 24);
        }
        STRCMP_EQUAL("", missing_in(parse_error(noise), {"bad.toml:"}).c_str());
    }
    STRCMP_EQUAL("", missing_in(parse_error(std::string(100, '\0')), {"bad.toml:"}).c_str());
    STRCMP_EQUAL("", missing_in(parse_error("a = \"\xff\xfe\"\n"), {"bad.toml:"}).c_str());
    STRCMP_EQUAL("", missing_in(parse_error("\x7f"
                                            "ELF\x02\x01\x01"),
                                {"bad.toml:"})
                         .c_str());
}

TEST(ConfigurationFiles, DeepNestingOfValuesIsRefused) {
    constexpr size_t depth = max_config_bytes / 8;
    STRCMP_EQUAL("",
                 missing_in(parse_error("a = " + repeated("[", depth)), {"bad.toml:1:"}).c_str());
    STRCMP_EQUAL(
        "", missing_in(parse_error("a = " + repeated("{ b = ", depth)), {"bad.toml:1:"}).c_str());
    STRCMP_EQUAL("", missing_in(parse_error("gpu = " + repeated("[", 50) + repeated("]", 50)),
                                {"a table [gpu]"})
                         .c_str());
}

TEST(ConfigurationFiles, NestedTablesAreReadAndVeryDeepOnesRefused) {
    const std::string deep = "[a" + repeated(".a", 90) + "]\n";
    const ConfigResult result = parse_config({{"one.toml", deep}, {"two.toml", deep}});
    LONGS_EQUAL(1, result.warnings.size());
    const std::string deeper = "\n[a" + repeated(".a", 500) + "]\n";
    STRCMP_EQUAL("", missing_in(parse_error(deeper), {"bad.toml:2:1:", "100 parts"}).c_str());
}

TEST(ConfigurationFiles, TheDeepestTableThatFitsIntoAFileIsNoCrash) {
    const std::string deep = "a" + repeated(".a", max_config_bytes / 2 - 4);
    CHECK_TRUE(survives("a = 1\n"));
    CHECK_TRUE(survives("[" + deep + "]\n"));
    CHECK_TRUE(survives(deep + " = 1\n"));
    CHECK_TRUE(survives("a = {" + deep.substr(8) + " = 1}\n"));
    CHECK_TRUE(survives("\"=\"" + deep.substr(7) + " = 1\n"));
}

TEST(ConfigurationFiles, TheShippedFileIsTheDefaults) {
    const ConfigResult result = parse_config({shipped()});
    for (const std::string& warning : result.warnings) FAIL(warning.c_str());
    const Config defaults;
    STRCMP_EQUAL(defaults.gpu.device.c_str(), result.config.gpu.device.c_str());
    CHECK_TRUE(defaults.gpu.kernels == result.config.gpu.kernels);
    LONGS_EQUAL(defaults.gpu.stall_timeout_ms, result.config.gpu.stall_timeout_ms);
    STRCMP_EQUAL(defaults.gpu.cache_dir.c_str(), result.config.gpu.cache_dir.c_str());
    STRCMP_EQUAL(defaults.gpu.tuning_file.c_str(), result.config.gpu.tuning_file.c_str());
    CHECK_TRUE(defaults.gpu.variants == result.config.gpu.variants);
    LONGS_EQUAL(defaults.memory.limit_mib, result.config.memory.limit_mib);
    LONGS_EQUAL(0, result.config.cameras.size());
}

TEST(ConfigurationFiles, EveryKeyThatTheShippedFileProposesIsKnownAndGood) {
    const ConfigText file = shipped();
    const ConfigResult result = parse_config({{file.path, uncommented(file.text)}});
    for (const std::string& warning : result.warnings) FAIL(warning.c_str());
    if (!file.text.empty()) CHECK_TRUE(result.config.cameras.size() >= 1);
}

TEST(ConfigurationFiles, OnlyCommentedKeysAreUncommented) {
    STRCMP_EQUAL("## prose\n[gpu]\nkernels = \"ep\"\n#\n",
                 uncommented("## prose\n# [gpu]\n# kernels = \"ep\"\n#\n").c_str());
}
