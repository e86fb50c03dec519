// What the random driver answers about controls and the media graph.
#include <linux/media.h>
#include <linux/v4l2-subdev.h>

#include <array>
#include <cerrno>

#include "tests/fuzz/random_driver.hpp"

namespace glint::fuzz {
namespace {

struct KnownControl {
    uint32_t id;
    uint32_t type;
    const char* name;
};

// By id, as drivers list them.
constexpr std::array controls{
    KnownControl{V4L2_CID_GAIN, V4L2_CTRL_TYPE_INTEGER, "Gain"},
    KnownControl{V4L2_CID_POWER_LINE_FREQUENCY, V4L2_CTRL_TYPE_MENU, "Power Line Frequency"},
    KnownControl{V4L2_CID_EXPOSURE_ABSOLUTE, V4L2_CTRL_TYPE_INTEGER, "Exposure Time, Absolute"},
    KnownControl{V4L2_CID_PIXEL_RATE, V4L2_CTRL_TYPE_INTEGER64, "Pixel Rate"}};

struct KnownEntity {
    uint32_t id;
    const char* name;
    uint32_t type;
    uint16_t pads;
    uint16_t links;
    uint32_t minor;  ///< of its node; 0: that is /dev/video0's
};

constexpr uint32_t receiver_type = MEDIA_ENT_F_OLD_SUBDEV_BASE;
constexpr std::array entities{
    KnownEntity{1, "sensor", MEDIA_ENT_F_CAM_SENSOR, 1, 1, 1},
    KnownEntity{2, "receiver", receiver_type, 2, 1, 2},
    KnownEntity{3, "node", MEDIA_ENT_F_IO_V4L, 1, 0, 0},
};

template <size_t size>
void put(char (&to)[size], const char* text) {
    std::strncpy(to, text, size - 1);
}

int describe_control(v4l2_query_ext_ctrl& query) {
    const bool next = (query.id & V4L2_CTRL_FLAG_NEXT_CTRL) != 0;
    const uint32_t id = query.id & ~V4L2_CTRL_FLAG_NEXT_CTRL;
    for (const KnownControl& control : controls) {
        if (next ? control.id <= id : control.id != id) continue;
        query = {};
        query.id = control.id;
        query.type = control.type;
        put(query.name, control.name);
        query.maximum = 3;
        query.step = 1;
        return 0;
    }
    return -EINVAL;
}

int list_entity(media_entity_desc& description) {
    const bool next = (description.id & MEDIA_ENT_ID_FLAG_NEXT) != 0;
    const uint32_t id = description.id & ~MEDIA_ENT_ID_FLAG_NEXT;
    for (const KnownEntity& entity : entities) {
        if (next ? entity.id <= id : entity.id != id) continue;
        description = {};
        description.id = entity.id;
        put(description.name, entity.name);
        description.type = entity.type;
        description.pads = entity.pads;
        description.links = entity.links;
        description.dev = {81, entity.minor};
        return 0;
    }
    return -EINVAL;
}

int list_links(const media_links_enum& request) {
    for (const KnownEntity& entity : entities) {
        if (entity.id != request.entity) continue;
        for (uint16_t pad = 0; pad < entity.pads; ++pad) {
            const bool source = entity.links != 0 && pad + 1 == entity.pads;
            request.pads[pad] = {
                .entity = entity.id,
                .index = pad,
                .flags = source ? uint32_t{MEDIA_PAD_FL_SOURCE} : uint32_t{MEDIA_PAD_FL_SINK},
                .reserved = {}};
        }
        if (entity.links == 0) return 0;
        media_link_desc& link = request.links[0];
        link = {};
        link.source = request.pads[entity.pads - 1];
        link.sink.entity = entity.id + 1;
        link.flags = MEDIA_LNK_FL_ENABLED;
        return 0;
    }
    return -EINVAL;
}

}  // namespace

int RandomDriver::control_answer(unsigned long request, void* argument) {
    switch (request) {
        case VIDIOC_QUERY_EXT_CTRL:
            return describe_control(*static_cast<v4l2_query_ext_ctrl*>(argument));
        case VIDIOC_QUERYMENU:
            put(reinterpret_cast<char(&)[32]>(static_cast<v4l2_querymenu*>(argument)->name),
                "item");
            return 0;
        default:
            return 0;
    }
}

int RandomDriver::media_answer(unsigned long request, void* argument) {
    switch (request) {
        case MEDIA_IOC_DEVICE_INFO:
            put(static_cast<media_device_info*>(argument)->driver, "mxc");
            return 0;
        case MEDIA_IOC_ENUM_ENTITIES:
            return list_entity(*static_cast<media_entity_desc*>(argument));
        case MEDIA_IOC_ENUM_LINKS:
            return list_links(*static_cast<const media_links_enum*>(argument));
        case MEDIA_IOC_SETUP_LINK:
        case VIDIOC_SUBDEV_S_FMT:
        case VIDIOC_SUBDEV_S_FRAME_INTERVAL:
        case VIDIOC_SUBDEV_G_FRAME_INTERVAL:
            return 0;
        case VIDIOC_SUBDEV_G_FMT:
            static_cast<v4l2_subdev_format*>(argument)->format.width = 640;
            return 0;
        default:
            return -ENOTTY;
    }
}

}  // namespace glint::fuzz
