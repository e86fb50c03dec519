// Tests that need what is not there.
#pragma once

namespace glint::test {

/// Says why the running test checks nothing; the program then ends with 77.
void skip(const char* why);
bool any_skipped();

}  // namespace glint::test
