// A media device and its subdevices that exist in a test only, over one model of the graph.
#pragma once

#include <linux/media.h>
#include <linux/v4l2-subdev.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/fakes/fake_machine.hpp"
#include "zero_copy/media_codes.hpp"
#include "zero_copy/media_text.hpp"

namespace glint::fakes {

struct FakeMediaPad {
    uint32_t flags = 0;
    zero_copy::BusFormat format;
    /// A sink pad: all it takes, the first for any other. A source pad: empty when it only follows
    /// its sink pad.
    std::vector<uint32_t> codes;
    std::optional<uint32_t> follows;  ///< a source pad: the sink pad whose format it gets
};

struct FakeFrameSize {
    uint32_t width = 0;
    uint32_t height = 0;
};

struct FakeMediaEntity {
    std::string name;
    uint32_t type = MEDIA_ENT_F_V4L2_SUBDEV_UNKNOWN;
    std::vector<FakeMediaPad> pads;
    FakeFrameSize largest{65535, 65535};
    std::vector<FakeFrameSize> sizes;                 ///< the only ones, if any: a sensor's modes
    std::vector<zero_copy::FrameInterval> intervals;  ///< the first is set; none: ENOTTY
    std::map<uint32_t, uint32_t> converts;            ///< codes that change from sink to source
    bool has_node = true;
    /// S_FMT answers with what was asked for, whatever is then set.
    bool answers_as_asked = false;
    uint32_t id = 0;
    zero_copy::NodeNumber node;
};

struct FakeMediaLink {
    std::string source;
    uint32_t source_pad = 0;
    std::string sink;
    uint32_t sink_pad = 0;
    uint32_t flags = 0;
};

/// Behaves as the kernel and the drivers of the presets do: immutable links, EBUSY while
/// `streaming` and for a sink pad's second link, formats adjusted to what there is, sink to source
/// propagation.
class FakeMediaGraph {
  public:
    media_device_info info{};
    std::vector<FakeMediaEntity> entities;
    std::vector<FakeMediaLink> links;
    bool streaming = false;
    /// What was asked to be set, in order, with the errno value of what was refused: `link "a":0 ->
    /// "b":0 [1]`, `format "a":0 fmt:Y8_1X8/4x4 = 16`, `interval "a":0 1/30`.
    std::vector<std::string> log;

    FakeMediaGraph(const char* driver, const char* model, const char* bus_info);

    [[nodiscard]] FakeMediaEntity& entity(const std::string& name);
    [[nodiscard]] FakeMediaEntity& entity(uint32_t id);
    /// What the first pad of `name` that is linked to is: its link.
    [[nodiscard]] FakeMediaLink& link_to(const std::string& name);

    int ioctl(unsigned long request, void* argument);
    int subdevice_ioctl(FakeMediaEntity& owner, unsigned long request, void* argument);

  private:
    int list_entity(media_entity_desc& out) const;
    int list_links(media_links_enum& out);
    int set_link(const media_link_desc& wanted);
    int change_link(FakeMediaLink& link, uint32_t flags) const;
    int set_format(FakeMediaEntity& owner, v4l2_subdev_format& argument) const;
    int set_interval(FakeMediaEntity& owner, v4l2_subdev_frame_interval& argument);
};

/// Adds /dev/mediaN and the nodes of the subdevices, /dev/v4l-subdev(10 N) and following; gives the
/// video nodes, which are the test's to add, the numbers of /dev/video(10 N) and following.
void install(const std::shared_ptr<FakeMediaGraph>& graph, FakeMachine& machine, uint32_t number);

/// i.MX8M Mini: "imx219 1-0010" -> "csis-32e30000.mipi-csi" -> "csi" -> "csi capture". The first
/// link is not enabled yet, formats are as after a boot and do not fit.
[[nodiscard]] std::shared_ptr<FakeMediaGraph> imx7_media_csi();

/// i.MX8M Plus: "ov5640 1-003c" -> "csis-32e40000.csi" -> "crossbar" -> "mxc_isi.0" ->
/// "mxc_isi.0.capture", and the second port and pipe, without a sensor.
[[nodiscard]] std::shared_ptr<FakeMediaGraph> imx8_isi();

}  // namespace glint::fakes
