#include "tests/bus/skip.hpp"

#include <iostream>

namespace glint::test {
namespace {
bool skipped = false;
}  // namespace

void skip(const char* why) {
    skipped = true;
    std::cout << "\nskipped: " << why << '\n';
}

bool any_skipped() {
    return skipped;
}

}  // namespace glint::test
