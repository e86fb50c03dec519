// Masks come as memfds of the frame's size.
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "daemon/failure.hpp"
#include "daemon/mask_file.hpp"
#include "tests/unit/expect.hpp"
#include "zero_copy/unique_fd.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

zero_copy::UniqueFd memfd_of(const std::vector<uint8_t>& bytes) {
    zero_copy::UniqueFd fd(::memfd_create("mask", MFD_CLOEXEC));
    CHECK_TRUE(fd.valid());
    LONGS_EQUAL(bytes.size(), ::write(fd.get(), bytes.data(), bytes.size()));
    return fd;
}

}  // namespace

TEST_GROUP(Masks){};

TEST(Masks, EveryByteBecomesABit) {
    const auto mask = read_mask(memfd_of({0, 1, 255, 0, 0, 0, 0, 0, 0, 7}).get(), 5, 2);
    LONGS_EQUAL(5, mask->width);
    LONGS_EQUAL(2, mask->height);
    LONGS_EQUAL(2, mask->bits.size());
    BYTES_EQUAL(0b110, mask->bits[0]);
    BYTES_EQUAL(0b10, mask->bits[1]);
}

TEST(Masks, AnEmptyOneIsNone) {
    CHECK_TRUE(read_mask(memfd_of({}).get(), 5, 2) == nullptr);
}

TEST(Masks, AnotherSizeIsRefusedWithTheNumbers) {
    const std::string text = text_thrown<Failure>([] {
        (void)read_mask(memfd_of({1, 1, 1}).get(), 5, 2);
    });
    STRCMP_EQUAL("", missing_in(text, {"3 bytes", "5x2", "takes 10"}).c_str());
}

TEST(Masks, WhatCouldBlockIsRefused) {
    int ends[2];
    LONGS_EQUAL(0, ::pipe(ends));
    const zero_copy::UniqueFd reader(ends[0]);
    const zero_copy::UniqueFd writer(ends[1]);
    const std::string text = text_thrown<Failure>([&] { (void)read_mask(reader.get(), 5, 2); });
    STRCMP_EQUAL("", missing_in(text, {"memfd_create"}).c_str());
}
