// Masks as grey pictures in PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glint::ctl {

// One byte for each pixel of a frame of width x height, row by row: 0 where the picture is 0.
// Throws Failure, with what the file is instead, unless it is a PNG of that size in grey of any
// depth without alpha; where it is damaged, too.
std::vector<std::uint8_t> read_mask_png(const std::string& file, std::uint32_t width,
                                        std::uint32_t height);

}  // namespace glint::ctl
