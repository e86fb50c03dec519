// Media devices: which one is meant, what is read of it, and whose node a path is.
#include <memory>
#include <string>
#include <tuple>

#include "tests/fakes/fake_machine.hpp"
#include "tests/fakes/media_graph.hpp"
#include "tests/unit/expect.hpp"
#include "zero_copy/media_graph.hpp"
#include "zero_copy/source.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::zero_copy;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

void expect_parts(const std::string& text, std::initializer_list<std::string_view> parts) {
    STRCMP_EQUAL("", missing_in(text, parts).c_str());
}

void expect_equal(const std::string& expected, const std::string& actual) {
    STRCMP_EQUAL(expected.c_str(), actual.c_str());
}

}  // namespace

TEST_GROUP(MediaDevices) {
    glint::fakes::FakeMachine machine;
    std::shared_ptr<glint::fakes::FakeMediaGraph> csi = glint::fakes::imx7_media_csi();
    std::shared_ptr<glint::fakes::FakeMediaGraph> isi = glint::fakes::imx8_isi();

    std::string path_of(std::string_view device) {
        return MediaGraph::open(machine, device).path();
    }
    std::string refusal(std::string_view device) {
        return text_thrown<SourceError>([&] { std::ignore = path_of(device); });
    }
};

TEST(MediaDevices, AreFoundByEachNameWhateverTheirNumber) {
    install(isi, machine, 0);
    install(csi, machine, 7);
    for (const std::string_view name :
         {"platform:32e20000.csi", "imx7-csi", "imx-media", "/dev/media7"}) {
        expect_equal("/dev/media7", path_of(name));
    }
    expect_equal("/dev/media0", path_of("platform:32e00000.isi"));
    LONGS_EQUAL(0, machine.open_count());
}

TEST(MediaDevices, AreFoundByBusInfoWhenNumbersMoved) {
    install(csi, machine, 0);
    install(isi, machine, 1);
    expect_equal("/dev/media1", path_of("platform:32e00000.isi"));
    machine.remove("/dev/media0");
    machine.remove("/dev/media1");
    install(isi, machine, 0);
    install(csi, machine, 1);
    expect_equal("/dev/media0", path_of("platform:32e00000.isi"));
}

TEST(MediaDevices, AnUnknownNameIsAnsweredWithThoseThatThereAre) {
    expect_parts(refusal("imx7-csi"), {"\"imx7-csi\"", "there is none"});
    install(isi, machine, 3);
    expect_parts(refusal("imx7-csi"), {"\"imx7-csi\"", "/dev/media3 (platform:32e00000.isi",
                                       "driver mxc-isi, model FSL Capture Media Device)"});
    expect_parts(refusal("/dev/media0"), {"/dev/media0", "No such file", "ls /dev/media*"});
}

TEST(MediaDevices, AWrongNodeIsNoMediaDevice) {
    install(csi, machine, 0);
    expect_parts(refusal("/dev/v4l-subdev0"), {"/dev/v4l-subdev0", "Inappropriate ioctl"});
}

TEST(MediaDevices, AnAmbiguousNameIsRefused) {
    install(csi, machine, 0);
    const auto second = glint::fakes::imx7_media_csi();
    second->info.bus_info[9] = '9';
    install(second, machine, 1);
    expect_parts(refusal("imx-media"), {"/dev/media0 (platform:32e20000.csi", "/dev/media1",
                                        "platform:92e20000.csi", "give the one's bus_info"});
    expect_equal("/dev/media1", path_of("platform:92e20000.csi"));
}

TEST(MediaDevices, TheGraphIsReadWhole) {
    install(isi, machine, 0);
    const MediaGraph graph = MediaGraph::open(machine, "/dev/media0");
    LONGS_EQUAL(isi->entities.size(), graph.entities().size());
    LONGS_EQUAL(isi->links.size(), graph.links().size());
    const MediaEntity& crossbar = graph.entity("crossbar");
    LONGS_EQUAL(5, crossbar.pad_flags.size());
    CHECK_TRUE(crossbar.is_sink(2));
    CHECK_FALSE(crossbar.is_sink(3));
    CHECK_TRUE(crossbar.is_subdevice());
    CHECK_FALSE(graph.entity("mxc_isi.0.capture").is_subdevice());
    POINTERS_EQUAL(&crossbar, &graph.entity(std::to_string(crossbar.id)));
}

TEST(MediaDevices, AVideoNodesEntityIsFoundByPathAndByName) {
    install(isi, machine, 2);
    machine.number("/dev/v4l/by-path/platform-32e00000.isi-video-index0",
                   *machine.node_number("/dev/video21"));
    const MediaGraph graph = MediaGraph::open(machine, "mxc-isi");
    const MediaEntity* second = &graph.entity("mxc_isi.1.capture");
    POINTERS_EQUAL(second, graph.find_node("/dev/video21"));
    POINTERS_EQUAL(second, graph.find_node("mxc_isi.1.capture"));
    POINTERS_EQUAL(second, graph.find_node("/dev/v4l/by-path/platform-32e00000.isi-video-index0"));
    POINTERS_EQUAL(nullptr, graph.find_node("/dev/video99"));
    POINTERS_EQUAL(nullptr, graph.find_node("/dev/media2"));
}

TEST(MediaDevices, TheKernelsNodesHaveNumbersAndPaths) {
    const std::optional<NodeNumber> number = system_calls().node_number("/dev/null");
    CHECK_TRUE(number.has_value());
    CHECK_TRUE((*number == NodeNumber{1, 3}));
    expect_equal("/dev/null", system_calls().node_path(*number));
    CHECK_FALSE(system_calls().node_number("/dev").has_value());
    CHECK_FALSE(system_calls().node_number("/dev/no such node").has_value());
    expect_equal("", system_calls().node_path({4095, 1048575}));
}
