// glintd's own kernels under the played compilers.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/layer/compiler/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer;
using namespace glint::layer::test;

namespace {

/// Empty if every kernel of the folder builds, for both filter sizes.
std::string refused_in(const std::string& folder, const CompilerLimits& limits) {
    std::string all;
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(GLINT_KERNELS "/" + folder)) {
        if (entry.path().extension() != ".cl") continue;
        ++files;
        std::ostringstream source;
        source << std::ifstream(entry.path()).rdbuf();
        for (const char* radius : {"-DRADIUS=1", "-DRADIUS=2"}) {
            const CompilerVerdict verdict = check_program(source.str(), radius, limits);
            if (!verdict.checked || !verdict.builds || verdict.costs.empty()) {
                all += entry.path().string() + " " + radius + ": " + verdict.log + '\n';
            }
        }
    }
    return files == 0 ? "no kernels found" : all;
}

}  // namespace

TEST_GROUP(Kernels){};

TEST(Kernels, EmbeddedOnesBuildOnGc2000) {
    STRCMP_EQUAL("", refused_in("ep", gc2000()).c_str());
}

TEST(Kernels, AllBuildOnGc7000l) {
    STRCMP_EQUAL("", refused_in("ep", gc7000l()).c_str());
    STRCMP_EQUAL("", refused_in("fp", gc7000l()).c_str());
}
