// Ramps prove the order of bits: every value of a format's samples, written as its documentation
// says and not as the code under test would, must come out of the histogram once.
#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "tests/cameras/bench.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;
namespace v4l2 = glint::fakes::v4l2;

namespace {

/// As the Linux media documentation draws the formats ("Image Formats").
struct Encoding {
    uint32_t fourcc;
    uint32_t bits;      ///< of a sample
    uint32_t row_bits;  ///< in memory, of a pixel
    std::vector<uint8_t> (*encode)(const std::vector<uint32_t>& samples);
};

std::vector<uint8_t> little_endian(const std::vector<uint32_t>& samples) {
    std::vector<uint8_t> bytes;
    for (const uint32_t sample : samples) {
        bytes.push_back(static_cast<uint8_t>(sample & 0xFF));
        bytes.push_back(static_cast<uint8_t>(sample >> 8));
    }
    return bytes;
}

std::vector<uint8_t> big_endian(const std::vector<uint32_t>& samples) {
    std::vector<uint8_t> bytes;
    for (const uint32_t sample : samples) {
        bytes.push_back(static_cast<uint8_t>(sample >> 8));
        bytes.push_back(static_cast<uint8_t>(sample & 0xFF));
    }
    return bytes;
}

/// Y012: the twelve bits are the upper ones of the word.
std::vector<uint8_t> left_aligned(const std::vector<uint32_t>& samples) {
    std::vector<uint32_t> shifted;
    for (const uint32_t sample : samples) shifted.push_back(sample << 4);
    return little_endian(shifted);
}

/// Four bytes of upper bits, then one with the lower two of each, the first sample's lowest.
std::vector<uint8_t> packed_10(const std::vector<uint32_t>& samples) {
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < samples.size(); i += 4) {
        uint32_t low = 0;
        for (size_t j = 0; j < 4; ++j) {
            bytes.push_back(static_cast<uint8_t>(samples[i + j] >> 2));
            low |= (samples[i + j] & 3) << (2 * j);
        }
        bytes.push_back(static_cast<uint8_t>(low));
    }
    return bytes;
}

/// Two bytes of upper bits, then one with the lower four of each, the first sample's lowest.
std::vector<uint8_t> packed_12(const std::vector<uint32_t>& samples) {
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < samples.size(); i += 2) {
        bytes.push_back(static_cast<uint8_t>(samples[i] >> 4));
        bytes.push_back(static_cast<uint8_t>(samples[i + 1] >> 4));
        bytes.push_back(static_cast<uint8_t>((samples[i] & 15) | (samples[i + 1] & 15) << 4));
    }
    return bytes;
}

const Encoding encodings[] = {
    {V4L2_PIX_FMT_Y10, 10, 16, little_endian},
    {V4L2_PIX_FMT_Y12, 12, 16, little_endian},
    {V4L2_PIX_FMT_Y14, 14, 16, little_endian},
    {v4l2_fourcc('Y', '0', '1', '2'), 12, 16, left_aligned},
    {V4L2_PIX_FMT_Y16, 16, 16, little_endian},
    {V4L2_PIX_FMT_Y16_BE, 16, 16, big_endian},
    {v4l2_fourcc('Y', '1', '0', 'P'), 10, 10, packed_10},
    {v4l2_fourcc('Y', '1', '2', 'P'), 12, 12, packed_12},
};

constexpr uint32_t width = 512;
constexpr uint32_t height = 128;  // 2^16 pixels: every value of every format, equally often

v4l2::Traits sends_only(const Encoding& encoding) {
    v4l2::Traits traits = v4l2::imx7_media_csi();
    traits.formats = {{encoding.fourcc, "ramp", encoding.row_bits, encoding.row_bits}};
    traits.initial = {width, height};
    traits.row_alignment = 1;
    return traits;
}

std::vector<uint8_t> ramp(const Encoding& encoding) {
    std::vector<uint32_t> samples;
    for (uint32_t i = 0; i < width * height; ++i)
        samples.push_back(i & ((1U << encoding.bits) - 1));
    return encoding.encode(samples);
}

}  // namespace

TEST_GROUP(CameraFormats) {
    Machine machine;

    void check_ramp(const Encoding& encoding, bool with_gpu) {
        Bench bench(machine, sends_only(encoding), {.bins = 1024});
        if (with_gpu) bench.camera->use_gpu(runtime(), "");
        bench.start();
        STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
        const std::string name(zero_copy::info(bench.camera->info().layout.format).fourcc);
        LONGS_EQUAL_TEXT(encoding.bits, bench.camera->info().layout.bit_depth, name.c_str());
        STRCMP_EQUAL_TEXT("", bench.measure_one({.bytes = ramp(encoding)}).c_str(), name.c_str());
        for (const uint32_t count : bench.measured.back().channel_bins(0, 0)) {
            LONGS_EQUAL_TEXT(width * height / 1024, count, name.c_str());
        }
        // Equal counts would hide exchanged bits: half of the ramp has no value of the other half.
        std::vector<uint8_t> half = ramp(encoding);
        const size_t values = size_t{1} << encoding.bits;
        const size_t bytes = values * encoding.row_bits / 8;
        for (size_t begin = 0; begin < half.size(); begin += bytes) {
            std::copy_n(half.begin() + static_cast<std::ptrdiff_t>(begin), bytes / 2,
                        half.begin() + static_cast<std::ptrdiff_t>(begin + bytes / 2));
        }
        STRCMP_EQUAL_TEXT("", bench.measure_one({.bytes = half}).c_str(), name.c_str());
        const auto bins = bench.measured.back().channel_bins(0, 0);
        for (size_t bin = 0; bin < bins.size(); ++bin) {
            LONGS_EQUAL_TEXT(bin < 512 ? width * height / 512 : 0, bins[bin], name.c_str());
        }
    }
};

TEST(CameraFormats, RampsOfEveryDepthComeOutEvenOnTheCpu) {
    for (const Encoding& encoding : encodings) check_ramp(encoding, false);
}

TEST(CameraFormats, RampsOfEveryDepthComeOutEvenOnTheGpu) {
    for (const Encoding& encoding : encodings) check_ramp(encoding, true);
}
