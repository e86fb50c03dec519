#include "tests/kernels/cover.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include <CppUTest/TestHarness.h>

namespace glint::test {
namespace {

std::vector<PlacedPicture> part_of_full_product(const char* part_and_parts) {
    uint32_t part = 0;
    uint32_t parts = 0;
    if (std::sscanf(part_and_parts, "%u/%u", &part, &parts) != 2 || part >= parts) {
        FAIL(fmt::format("GLINT_TEST_EXHAUSTIVE is '{}': PART/PARTS, e.g. 0/2", part_and_parts)
                 .c_str());
    }
    std::vector<PlacedPicture> all = full_product();
    std::erase_if(
        all, [=](const PlacedPicture& placed) { return placed.picture.width % parts != part; });
    return all;
}

}  // namespace

const std::vector<PlacedPicture>& pictures() {
    static const std::vector<PlacedPicture> all = [] {
        if (const char* part = std::getenv("GLINT_TEST_EXHAUSTIVE")) {
            return part_of_full_product(part);
        }
        std::vector<PlacedPicture> cover = pairwise_cover();
#ifdef GLINT_SANITIZED
        // The sanitizers look for wrong accesses of the host's code; a sample shows those.
        std::erase_if(cover, [](const PlacedPicture& placed) {
            return (placed.picture.width + placed.picture.height) % 11 != 0;
        });
#endif
        return cover;
    }();
    return all;
}

bool whole_cover() {
#ifdef GLINT_SANITIZED
    return false;
#else
    return !full_product_wanted();
#endif
}

bool full_product_wanted() {
    return std::getenv("GLINT_TEST_EXHAUSTIVE") != nullptr;
}

void Progress::frame_done(const Picture& picture) {
    ++frames_;
    if (picture.width == width_ || !full_product_wanted()) return;
    width_ = picture.width;
    fmt::print("width {} of {}, {} frames so far\n", width_, widths, frames_);
    std::fflush(stdout);
}

}  // namespace glint::test
