// Masks from PNG files: grey ones of the frame's size, and what is said of all others.
#include <png.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/fakes/temporary_folder.hpp"
#include "tests/unit/expect.hpp"
#include "tools/ctl/failure.hpp"
#include "tools/ctl/mask_png.hpp"

#include <CppUTest/TestHarness.h>

using glint::ctl::Failure;
using glint::ctl::read_mask_png;
using glint::fakes::TemporaryFolder;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t width = 3;
constexpr std::uint32_t height = 2;

struct Png {
    int depth = 8;
    int type = PNG_COLOR_TYPE_GRAY;
    int interlace = PNG_INTERLACE_NONE;
};

/// Writes a picture of width x height whose rows hold these bytes.
std::string write_png(const TemporaryFolder& folder, const Png& kind, Bytes bytes) {
    const std::string file = folder.file("mask.png");
    std::FILE* stream = std::fopen(file.c_str(), "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, stream);
    png_set_IHDR(png, info, width, height, kind.depth, kind.type, kind.interlace,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    const png_color black{};
    if (kind.type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, &black, 1);
    png_write_info(png, info);
    const std::size_t stride = bytes.size() / height;
    std::vector<png_bytep> rows;
    for (std::uint32_t y = 0; y < height; ++y) rows.push_back(bytes.data() + y * stride);
    png_write_image(png, rows.data());
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    std::fclose(stream);
    return file;
}

void check_mask(const std::vector<bool>& counting, const Bytes& mask) {
    LONGS_EQUAL(counting.size(), mask.size());
    for (std::size_t i = 0; i < mask.size(); ++i) CHECK_EQUAL(counting[i], mask[i] != 0);
}

void check_refused(const std::string& file, std::initializer_list<std::string_view> parts,
                   std::uint32_t columns = width, std::uint32_t rows = height) {
    const std::string why = text_thrown<Failure>([&] { (void)read_mask_png(file, columns, rows); });
    STRCMP_EQUAL("", missing_in(why, {file}).c_str());
    STRCMP_EQUAL("", missing_in(why, parts).c_str());
}

}  // namespace

TEST_GROUP(MaskPng){};

TEST(MaskPng, PixelsThatAreNotBlackCount) {
    const TemporaryFolder folder;
    const std::string file = write_png(folder, {}, {0, 1, 255, 128, 0, 0});
    const Bytes mask = read_mask_png(file, width, height);
    CHECK_TRUE((mask == Bytes{0, 1, 255, 128, 0, 0}));
}

TEST(MaskPng, EveryDepthOfGreyIsRead) {
    const TemporaryFolder folder;
    const std::vector<bool> counting{false, true, true, true, false, false};
    check_mask(counting, read_mask_png(write_png(folder, {.depth = 1}, {0b0110'0000, 0b1000'0000}),
                                       width, height));
    check_mask(counting,
               read_mask_png(write_png(folder, {.depth = 2}, {0b00'01'11'00, 0b10'00'00'00}), width,
                             height));
    check_mask(counting, read_mask_png(write_png(folder, {.depth = 4}, {0x01, 0xf0, 0x80, 0x00}),
                                       width, height));
    // The smallest sample of 16 bits is not 0, whichever of its bytes says so.
    check_mask(counting, read_mask_png(write_png(folder, {.depth = 16},
                                                 {0, 0, 0, 1, 1, 0, 255, 255, 0, 0, 0, 0}),
                                       width, height));
}

TEST(MaskPng, InterlacedPicturesAreRead) {
    const TemporaryFolder folder;
    const Png kind{.interlace = PNG_INTERLACE_ADAM7};
    const Bytes mask = read_mask_png(write_png(folder, kind, {1, 2, 3, 0, 5, 6}), width, height);
    CHECK_TRUE((mask == Bytes{1, 2, 3, 0, 5, 6}));
}

TEST(MaskPng, OtherSizesAreRefusedWithBoth) {
    const TemporaryFolder folder;
    const std::string file = write_png(folder, {}, Bytes(6, 1));
    check_refused(file, {"3x2", "2x3"}, 2, 3);
    check_refused(file, {"3x2", "640x480"}, 640, 480);
}

TEST(MaskPng, ColoursAndAlphaAreRefusedByName) {
    const TemporaryFolder folder;
    const auto of_type = [&](int type, std::size_t bytes) {
        return write_png(folder, {.type = type}, Bytes(bytes * width * height));
    };
    check_refused(of_type(PNG_COLOR_TYPE_RGB, 3), {"RGB colours:", "grey without alpha"});
    check_refused(of_type(PNG_COLOR_TYPE_RGB_ALPHA, 4), {"RGB colours with alpha"});
    check_refused(of_type(PNG_COLOR_TYPE_GRAY_ALPHA, 2), {"grey with alpha"});
    check_refused(of_type(PNG_COLOR_TYPE_PALETTE, 1), {"a palette of colours"});
}

TEST(MaskPng, WhatIsNoPngIsRefused) {
    const TemporaryFolder folder;
    check_refused(folder.file("absent.png"), {"No such file"});
    check_refused(folder.path().string(), {"Is a directory"});
    check_refused(folder.write("empty.png", ""), {"no PNG file"});
    check_refused(folder.write("short.png", "\x89PNG"), {"no PNG file"});
    check_refused(folder.write("text.png", "P5 3 2 255 abcdef"), {"no PNG file"});
}

TEST(MaskPng, DamageIsRefusedWhereverItIs) {
    const TemporaryFolder folder;
    const std::string whole = [&] {
        write_png(folder, {}, {0, 1, 255, 128, 0, 0});
        return folder.read("mask.png");
    }();
    for (std::size_t size = 8; size < whole.size(); ++size)
        check_refused(folder.write("cut.png", whole.substr(0, size)), {"damaged PNG file"});
    std::string flipped = whole;
    flipped[19] = static_cast<char>(flipped[19] ^ 1);  // the width, which its checksum covers
    check_refused(folder.write("flipped.png", flipped), {"damaged PNG file", "CRC"});
}
