// What a pad of a media graph carries, and the names that media-ctl has for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace glint::zero_copy {

/// A name and the kernel's number for it.
struct MediaName {
    std::string_view name;
    uint32_t value;
};

/// MEDIA_BUS_FMT_* without the prefix: those that cameras and their receivers use.
[[nodiscard]] std::span<const MediaName> bus_codes();
[[nodiscard]] std::optional<uint32_t> bus_code_from_name(std::string_view name);
/// The number in hexadecimal where the table has no name.
[[nodiscard]] std::string name_of_bus_code(uint32_t code);

/// V4L2_FIELD_*, by the names of media-ctl.
[[nodiscard]] std::span<const MediaName> fields();
[[nodiscard]] std::optional<uint32_t> field_from_name(std::string_view name);
[[nodiscard]] std::string name_of_field(uint32_t field);

struct BusFormat {
    uint32_t code = 0;
    uint32_t width = 0;   ///< pixels
    uint32_t height = 0;  ///< rows
    uint32_t field = 0;   ///< V4L2_FIELD_ANY in a setting: the driver chooses
};

/// As media-ctl writes it: "fmt:UYVY8_1X16/1280x720 field:none"; V4L2_FIELD_ANY is left out.
[[nodiscard]] std::string text_of(const BusFormat& format);

}  // namespace glint::zero_copy
