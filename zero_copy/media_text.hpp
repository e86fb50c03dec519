// Links and pad formats in the syntax of media-ctl's options -l and -V.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "zero_copy/media_codes.hpp"

namespace glint::zero_copy {

struct PadName {
    std::string entity;  ///< its name, or its number in the graph as text
    uint32_t pad = 0;
};

struct LinkSetting {
    PadName source;
    PadName sink;
    bool enabled = true;
};

/// Time from one frame to the next: numerator / denominator seconds.
struct FrameInterval {
    uint32_t numerator = 0;
    uint32_t denominator = 0;
};

struct PadSetting {
    PadName pad;
    BusFormat format;
    std::optional<FrameInterval> interval;
};

class MediaTextError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// `"imx219 1-0010":0 -> "csis-32e40000.csi":0 [1]`; names in double or single quotes, or numbers.
/// Throws MediaTextError that gives the column (from 1), what is there and what is expected.
[[nodiscard]] LinkSetting parse_link(std::string_view text);

/// `"imx219 1-0010":0 [fmt:SRGGB10_1X10/1920x1080@1/30 field:none]`; field and interval may be left
/// out. Throws as parse_link().
[[nodiscard]] PadSetting parse_pad(std::string_view text);

/// Quoted as media-ctl reads it: `"csi":0`.
[[nodiscard]] std::string text_of(const PadName& pad);
[[nodiscard]] std::string text_of(const LinkSetting& link);
/// `1/30`.
[[nodiscard]] std::string text_of(const FrameInterval& interval);

}  // namespace glint::zero_copy
