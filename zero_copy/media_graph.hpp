// A media device: its entities, pads and links, and the formats on the pads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zero_copy/device_calls.hpp"
#include "zero_copy/media_text.hpp"

namespace glint::zero_copy {

struct MediaEntity {
    uint32_t id = 0;
    std::string name;
    uint32_t type = 0;  ///< MEDIA_ENT_F_*
    NodeNumber node;    ///< 0:0 when it has no device node
    std::vector<uint32_t> pad_flags;

    [[nodiscard]] bool is_subdevice() const;
    [[nodiscard]] bool is_sink(uint32_t pad) const;
};

struct MediaPad {
    uint32_t entity = 0;  ///< its id
    uint32_t index = 0;
    [[nodiscard]] bool operator==(const MediaPad&) const = default;
};

struct MediaLink {
    MediaPad source;
    MediaPad sink;
    uint32_t flags = 0;  ///< MEDIA_LNK_FL_*

    [[nodiscard]] bool enabled() const;
    [[nodiscard]] bool immutable() const;
};

/// The graph as it is when it is opened, apart from links that set_link() changes. Blocking.
class MediaGraph {
  public:
    /// `device` is a path, or the bus_info, the driver's or the model's name of one media device.
    /// Throws SourceError: absent when there is none or none can be opened, with those that there
    /// are; format when more than one has that name or one cannot be read.
    [[nodiscard]] static MediaGraph open(DeviceCalls& calls, std::string_view device);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const std::string& driver() const noexcept { return driver_; }
    [[nodiscard]] const std::string& model() const noexcept { return model_; }
    [[nodiscard]] const std::string& bus_info() const noexcept { return bus_info_; }
    [[nodiscard]] std::span<const MediaEntity> entities() const noexcept { return entities_; }
    [[nodiscard]] std::span<const MediaLink> links() const noexcept { return links_; }
    [[nodiscard]] DeviceCalls& calls() const noexcept { return device_.calls(); }

    /// By id; every id in links() is known.
    [[nodiscard]] const MediaEntity& entity(uint32_t id) const;
    /// By name, else by number. Throws SourceError that lists the entities there are.
    [[nodiscard]] const MediaEntity& entity(std::string_view name) const;
    /// The entity of a video node, by its name or by the path of the node; null when it has none.
    [[nodiscard]] const MediaEntity* find_node(const std::string& name_or_path) const;
    /// Throws SourceError when there is no such entity or pad.
    [[nodiscard]] MediaPad pad(const PadName& name) const;
    [[nodiscard]] std::string text_of(const MediaPad& pad) const;

    /// Enables or disables the link with the number `index` in links(). Zero or an errno value.
    [[nodiscard]] int set_link(size_t index, bool enabled);

  private:
    MediaGraph() = default;
    void read_entities();
    void read_links(MediaEntity& entity, size_t count);
    [[nodiscard]] std::string names() const;

    DeviceFd device_;
    std::string path_;
    std::string driver_;
    std::string model_;
    std::string bus_info_;
    std::vector<MediaEntity> entities_;
    std::vector<MediaLink> links_;
};

/// The device node of a subdevice, which keeps the formats of its pads.
class Subdevice {
  public:
    /// Opened so that VIDIOC_DQEVENT does not wait for an event. Throws SourceError: absent, when
    /// the entity has no node or it cannot be opened.
    Subdevice(DeviceCalls& calls, const MediaEntity& entity);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const DeviceFd& descriptor() const noexcept { return fd_; }

    // Each: zero or an errno value. A driver may set another format or interval than was asked for.
    [[nodiscard]] int get_format(uint32_t pad, BusFormat& format) const noexcept;
    [[nodiscard]] int set_format(uint32_t pad, const BusFormat& format) const noexcept;
    /// Leaves in `format` what set_format() would make of it, and sets nothing.
    [[nodiscard]] int try_format(uint32_t pad, BusFormat& format) const noexcept;
    [[nodiscard]] int get_interval(uint32_t pad, FrameInterval& interval) const noexcept;
    [[nodiscard]] int set_interval(uint32_t pad, const FrameInterval& interval) const noexcept;

  private:
    std::string path_;
    DeviceFd fd_;
};

}  // namespace glint::zero_copy
