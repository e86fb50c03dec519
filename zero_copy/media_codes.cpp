#include "zero_copy/media_codes.hpp"

#include <fmt/format.h>
#include <linux/media-bus-format.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <array>

namespace glint::zero_copy {
namespace {

#define BUS_CODE(name)              \
    MediaName {                     \
#name, MEDIA_BUS_FMT_##name \
    }

constexpr std::array code_table{
    BUS_CODE(FIXED),
    BUS_CODE(RGB444_1X12),
    BUS_CODE(RGB444_2X8_PADHI_BE),
    BUS_CODE(RGB444_2X8_PADHI_LE),
    BUS_CODE(RGB555_2X8_PADHI_BE),
    BUS_CODE(RGB555_2X8_PADHI_LE),
    BUS_CODE(RGB565_1X16),
    BUS_CODE(BGR565_2X8_BE),
    BUS_CODE(BGR565_2X8_LE),
    BUS_CODE(RGB565_2X8_BE),
    BUS_CODE(RGB565_2X8_LE),
    BUS_CODE(RGB666_1X18),
    BUS_CODE(RBG888_1X24),
    BUS_CODE(BGR888_1X24),
    BUS_CODE(GBR888_1X24),
    BUS_CODE(RGB888_1X24),
    BUS_CODE(RGB888_2X12_BE),
    BUS_CODE(RGB888_2X12_LE),
    BUS_CODE(ARGB8888_1X32),
    BUS_CODE(RGB888_1X32_PADHI),
    BUS_CODE(RGB101010_1X30),
    BUS_CODE(Y8_1X8),
    BUS_CODE(UV8_1X8),
    BUS_CODE(UYVY8_1_5X8),
    BUS_CODE(VYUY8_1_5X8),
    BUS_CODE(YUYV8_1_5X8),
    BUS_CODE(YVYU8_1_5X8),
    BUS_CODE(UYVY8_2X8),
    BUS_CODE(VYUY8_2X8),
    BUS_CODE(YUYV8_2X8),
    BUS_CODE(YVYU8_2X8),
    BUS_CODE(Y10_1X10),
    BUS_CODE(Y10_2X8_PADHI_LE),
    BUS_CODE(UYVY10_2X10),
    BUS_CODE(VYUY10_2X10),
    BUS_CODE(YUYV10_2X10),
    BUS_CODE(YVYU10_2X10),
    BUS_CODE(Y12_1X12),
    BUS_CODE(UYVY12_2X12),
    BUS_CODE(VYUY12_2X12),
    BUS_CODE(YUYV12_2X12),
    BUS_CODE(YVYU12_2X12),
    BUS_CODE(UYVY8_1X16),
    BUS_CODE(VYUY8_1X16),
    BUS_CODE(YUYV8_1X16),
    BUS_CODE(YVYU8_1X16),
    BUS_CODE(YDYUYDYV8_1X16),
    BUS_CODE(UYVY10_1X20),
    BUS_CODE(VYUY10_1X20),
    BUS_CODE(YUYV10_1X20),
    BUS_CODE(YVYU10_1X20),
    BUS_CODE(VUY8_1X24),
    BUS_CODE(YUV8_1X24),
    BUS_CODE(UYYVYY8_0_5X24),
    BUS_CODE(UYVY12_1X24),
    BUS_CODE(VYUY12_1X24),
    BUS_CODE(YUYV12_1X24),
    BUS_CODE(YVYU12_1X24),
    BUS_CODE(YUV10_1X30),
    BUS_CODE(AYUV8_1X32),
    BUS_CODE(SBGGR8_1X8),
    BUS_CODE(SGBRG8_1X8),
    BUS_CODE(SGRBG8_1X8),
    BUS_CODE(SRGGB8_1X8),
    BUS_CODE(SBGGR10_ALAW8_1X8),
    BUS_CODE(SGBRG10_ALAW8_1X8),
    BUS_CODE(SGRBG10_ALAW8_1X8),
    BUS_CODE(SRGGB10_ALAW8_1X8),
    BUS_CODE(SBGGR10_DPCM8_1X8),
    BUS_CODE(SGBRG10_DPCM8_1X8),
    BUS_CODE(SGRBG10_DPCM8_1X8),
    BUS_CODE(SRGGB10_DPCM8_1X8),
    BUS_CODE(SBGGR10_2X8_PADHI_BE),
    BUS_CODE(SBGGR10_2X8_PADHI_LE),
    BUS_CODE(SBGGR10_2X8_PADLO_BE),
    BUS_CODE(SBGGR10_2X8_PADLO_LE),
    BUS_CODE(SBGGR10_1X10),
    BUS_CODE(SGBRG10_1X10),
    BUS_CODE(SGRBG10_1X10),
    BUS_CODE(SRGGB10_1X10),
    BUS_CODE(SBGGR12_1X12),
    BUS_CODE(SGBRG12_1X12),
    BUS_CODE(SGRBG12_1X12),
    BUS_CODE(SRGGB12_1X12),
    BUS_CODE(SBGGR14_1X14),
    BUS_CODE(SGBRG14_1X14),
    BUS_CODE(SGRBG14_1X14),
    BUS_CODE(SRGGB14_1X14),
    BUS_CODE(SBGGR16_1X16),
    BUS_CODE(SGBRG16_1X16),
    BUS_CODE(SGRBG16_1X16),
    BUS_CODE(SRGGB16_1X16),
    BUS_CODE(JPEG_1X8),
    // Kernel headers older than 5.18 and 6.2 do not have these.
    MediaName{"Y14_1X14", 0x202d},
    MediaName{"Y16_1X16", 0x202e},
};
#undef BUS_CODE

constexpr std::array field_table{
    MediaName{"any", V4L2_FIELD_ANY},
    MediaName{"none", V4L2_FIELD_NONE},
    MediaName{"top", V4L2_FIELD_TOP},
    MediaName{"bottom", V4L2_FIELD_BOTTOM},
    MediaName{"interlaced", V4L2_FIELD_INTERLACED},
    MediaName{"seq-tb", V4L2_FIELD_SEQ_TB},
    MediaName{"seq-bt", V4L2_FIELD_SEQ_BT},
    MediaName{"alternate", V4L2_FIELD_ALTERNATE},
    MediaName{"interlaced-tb", V4L2_FIELD_INTERLACED_TB},
    MediaName{"interlaced-bt", V4L2_FIELD_INTERLACED_BT},
};

std::optional<uint32_t> value_in(std::span<const MediaName> table, std::string_view name) {
    const auto row = std::ranges::find(table, name, &MediaName::name);
    return row == table.end() ? std::nullopt : std::optional(row->value);
}

std::string name_in(std::span<const MediaName> table, uint32_t value) {
    const auto row = std::ranges::find(table, value, &MediaName::value);
    return row == table.end() ? fmt::format("{:#06x}", value) : std::string(row->name);
}

}  // namespace

std::span<const MediaName> bus_codes() {
    return code_table;
}

std::optional<uint32_t> bus_code_from_name(std::string_view name) {
    return value_in(code_table, name);
}

std::string name_of_bus_code(uint32_t code) {
    return name_in(code_table, code);
}

std::span<const MediaName> fields() {
    return field_table;
}

std::optional<uint32_t> field_from_name(std::string_view name) {
    return value_in(field_table, name);
}

std::string name_of_field(uint32_t field) {
    return name_in(field_table, field);
}

std::string text_of(const BusFormat& format) {
    const std::string text =
        fmt::format("fmt:{}/{}x{}", name_of_bus_code(format.code), format.width, format.height);
    return format.field == V4L2_FIELD_ANY ? text : text + " field:" + name_of_field(format.field);
}

}  // namespace glint::zero_copy
