// Controls and events of the scripted capture driver follow the kernel's control framework.
#include <fcntl.h>
#include <linux/videodev2.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "tests/fakes/v4l2_bench.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes::v4l2;

namespace {

constexpr uint32_t unknown = V4L2_CID_BASE + 30;

v4l2_ext_control holding(uint32_t id, int32_t value) {
    v4l2_ext_control control{};
    control.id = id;
    control.value = value;
    return control;
}

v4l2_event_subscription to(uint32_t type, uint32_t id, uint32_t flags) {
    v4l2_event_subscription subscription{};
    subscription.type = type;
    subscription.id = id;
    subscription.flags = flags;
    return subscription;
}

}  // namespace

TEST_GROUP(V4l2DriverControls) {
    Bench bench{vivid()};

    void setup() override {
        Driver& driver = *bench.driver;
        driver.add_control({.id = V4L2_CID_GAIN,
                            .name = "Gain",
                            .minimum = 10,
                            .maximum = 100,
                            .step = 5,
                            .default_value = 20});
        driver.add_control(
            {.id = V4L2_CID_HFLIP, .type = V4L2_CTRL_TYPE_BOOLEAN, .name = "Mirror", .maximum = 1});
        driver.add_control({.id = V4L2_CID_POWER_LINE_FREQUENCY,
                            .type = V4L2_CTRL_TYPE_MENU,
                            .name = "Power line",
                            .maximum = 2,
                            .menu = {"Off", "", "60 Hz"}});
        driver.add_control({.id = V4L2_CID_DO_WHITE_BALANCE,
                            .type = V4L2_CTRL_TYPE_BUTTON,
                            .name = "White balance"});
        driver.add_control({.id = V4L2_CID_UNIT_CELL_SIZE,
                            .type = V4L2_CTRL_TYPE_AREA,
                            .name = "Cell size",
                            .payload_bytes = 8});
        driver.add_control({.id = V4L2_CID_LINK_FREQ,
                            .type = V4L2_CTRL_TYPE_INTEGER_MENU,
                            .name = "Link frequency",
                            .maximum = 1,
                            .flags = V4L2_CTRL_FLAG_READ_ONLY,
                            .integer_menu = {456000000, 912000000}});
        driver.add_control({.id = V4L2_CID_PIXEL_RATE,
                            .type = V4L2_CTRL_TYPE_INTEGER64,
                            .name = "Pixel rate",
                            .minimum = 1,
                            .maximum = 1LL << 40,
                            .default_value = 1LL << 33});
    }
    int query(v4l2_query_ext_ctrl & query, uint32_t id) {
        query = {};
        query.id = id;
        return bench.call(VIDIOC_QUERY_EXT_CTRL, &query);
    }
    std::string walk(uint32_t flags) {
        std::string names;
        v4l2_query_ext_ctrl asked{};
        for (uint32_t id = 0; query(asked, id | flags) == 0; id = asked.id) {
            names += std::string(names.empty() ? "" : ", ") + asked.name;
        }
        return names;
    }
    int exchange(unsigned long request, uint32_t which, v4l2_ext_control* controls,
                 uint32_t count) {
        called = {};
        called.which = which;
        called.count = count;
        called.controls = controls;
        return bench.call(request, &called);
    }
    int set(uint32_t id, int32_t value) {
        one = holding(id, value);
        return exchange(VIDIOC_S_EXT_CTRLS, V4L2_CTRL_WHICH_CUR_VAL, &one, 1);
    }
    int get(uint32_t id, uint32_t which = V4L2_CTRL_WHICH_CUR_VAL) {
        one = holding(id, 0);
        return exchange(VIDIOC_G_EXT_CTRLS, which, &one, 1);
    }
    int subscribe(uint32_t type, uint32_t id, uint32_t flags = 0) {
        v4l2_event_subscription subscription = to(type, id, flags);
        return bench.call(VIDIOC_SUBSCRIBE_EVENT, &subscription);
    }
    int take() {
        event = {};
        return bench.call(VIDIOC_DQEVENT, &event);
    }

    v4l2_ext_controls called{};
    v4l2_ext_control one{};
    v4l2_event event{};
};

TEST(V4l2DriverControls, AWalkComesByEachInOrder) {
    STRCMP_EQUAL(
        "User Controls, White balance, Gain, Mirror, Power line, Image Source Controls, "
        "Image Processing Controls, Link frequency, Pixel rate",
        walk(V4L2_CTRL_FLAG_NEXT_CTRL).c_str());
    STRCMP_EQUAL("Cell size", walk(V4L2_CTRL_FLAG_NEXT_COMPOUND).c_str());
    CHECK_TRUE(walk(V4L2_CTRL_FLAG_NEXT_CTRL | V4L2_CTRL_FLAG_NEXT_COMPOUND).find("Cell size") !=
               std::string::npos);
    v4l2_query_ext_ctrl asked{};
    LONGS_EQUAL(0, query(asked, V4L2_CID_GAIN));
    LONGS_EQUAL(10, asked.minimum);
    LONGS_EQUAL(5, asked.step);
    LONGS_EQUAL(0, query(asked, V4L2_CID_DO_WHITE_BALANCE));
    LONGS_EQUAL(V4L2_CTRL_FLAG_WRITE_ONLY | V4L2_CTRL_FLAG_EXECUTE_ON_WRITE, asked.flags);
    LONGS_EQUAL(EINVAL, query(asked, unknown));
}

TEST(V4l2DriverControls, MenusHaveGaps) {
    v4l2_querymenu item{};
    item.id = V4L2_CID_POWER_LINE_FREQUENCY;
    item.index = 2;
    LONGS_EQUAL(0, bench.call(VIDIOC_QUERYMENU, &item));
    STRCMP_EQUAL("60 Hz", reinterpret_cast<const char*>(item.name));
    for (const uint32_t missing : {1U, 3U}) {
        item.index = missing;
        LONGS_EQUAL(EINVAL, bench.call(VIDIOC_QUERYMENU, &item));
    }
    item.id = V4L2_CID_LINK_FREQ;
    item.index = 1;
    LONGS_EQUAL(0, bench.call(VIDIOC_QUERYMENU, &item));
    LONGS_EQUAL(912000000, item.value);
    item.id = V4L2_CID_GAIN;
    LONGS_EQUAL(EINVAL, bench.call(VIDIOC_QUERYMENU, &item));
}

TEST(V4l2DriverControls, ValuesAreRoundedOrRefused) {
    LONGS_EQUAL(0, set(V4L2_CID_GAIN, 33));
    LONGS_EQUAL(35, one.value);
    LONGS_EQUAL(0, set(V4L2_CID_GAIN, -4));
    LONGS_EQUAL(10, bench.driver->control(V4L2_CID_GAIN));
    LONGS_EQUAL(0, set(V4L2_CID_GAIN, 2000000000));
    LONGS_EQUAL(100, one.value);
    LONGS_EQUAL(0, set(V4L2_CID_HFLIP, 7));
    LONGS_EQUAL(1, one.value);
    LONGS_EQUAL(ERANGE, set(V4L2_CID_POWER_LINE_FREQUENCY, 3));
    LONGS_EQUAL(EINVAL, set(V4L2_CID_POWER_LINE_FREQUENCY, 1));
    LONGS_EQUAL(EACCES, set(V4L2_CID_LINK_FREQ, 1));
    LONGS_EQUAL(EACCES, get(V4L2_CID_DO_WHITE_BALANCE));
    LONGS_EQUAL(EINVAL, get(unknown));
    bench.driver->change_control_flags(V4L2_CID_HFLIP, V4L2_CTRL_FLAG_GRABBED);
    LONGS_EQUAL(EBUSY, set(V4L2_CID_HFLIP, 0));
    LONGS_EQUAL(0, get(V4L2_CID_GAIN, V4L2_CTRL_WHICH_DEF_VAL));
    LONGS_EQUAL(20, one.value);
    LONGS_EQUAL(0, get(V4L2_CID_PIXEL_RATE));
    CHECK_TRUE(one.value64 == 1LL << 33);
    LONGS_EQUAL(ENOSPC, get(V4L2_CID_UNIT_CELL_SIZE));
    LONGS_EQUAL(8, one.size);
}

TEST(V4l2DriverControls, OneBadValueLeavesTheOthersAsTheyWere) {
    std::array both{holding(V4L2_CID_GAIN, 50), holding(V4L2_CID_POWER_LINE_FREQUENCY, 9)};
    LONGS_EQUAL(ERANGE, exchange(VIDIOC_S_EXT_CTRLS, 0, both.data(), 2));
    LONGS_EQUAL(2, called.error_idx);
    LONGS_EQUAL(20, bench.driver->control(V4L2_CID_GAIN));
}

TEST(V4l2DriverControls, AClassTakesItsOwnControlsOnly) {
    one = holding(V4L2_CID_GAIN, 50);
    LONGS_EQUAL(0, exchange(VIDIOC_S_EXT_CTRLS, V4L2_CTRL_CLASS_USER, &one, 1));
    LONGS_EQUAL(EINVAL, exchange(VIDIOC_S_EXT_CTRLS, V4L2_CTRL_CLASS_CAMERA, &one, 1));
    LONGS_EQUAL(0, exchange(VIDIOC_G_EXT_CTRLS, V4L2_CTRL_CLASS_USER, nullptr, 0));
    LONGS_EQUAL(EINVAL, exchange(VIDIOC_G_EXT_CTRLS, V4L2_CTRL_CLASS_CAMERA, nullptr, 0));
    LONGS_EQUAL(EINVAL, exchange(VIDIOC_S_EXT_CTRLS, V4L2_CTRL_WHICH_DEF_VAL, &one, 1));
}

TEST(V4l2DriverControls, ADriverWithoutControlsHasNoSuchCalls) {
    Bench bare(imx7_media_csi());
    v4l2_query_ext_ctrl asked{};
    asked.id = V4L2_CTRL_FLAG_NEXT_CTRL;
    LONGS_EQUAL(ENOTTY, bare.call(VIDIOC_QUERY_EXT_CTRL, &asked));
    v4l2_event_subscription source = to(V4L2_EVENT_SOURCE_CHANGE, 0, 0);
    LONGS_EQUAL(EINVAL, bare.call(VIDIOC_SUBSCRIBE_EVENT, &source));
}

TEST(V4l2DriverControls, EventsAreReadableAndTellOfChanges) {
    LONGS_EQUAL(ENOENT, take());
    LONGS_EQUAL(EINVAL, subscribe(V4L2_EVENT_CTRL, unknown));
    LONGS_EQUAL(0, subscribe(V4L2_EVENT_CTRL, V4L2_CID_GAIN, V4L2_EVENT_SUB_FL_SEND_INITIAL));
    CHECK_TRUE(bench.readable());
    LONGS_EQUAL(0, take());
    LONGS_EQUAL(V4L2_EVENT_CTRL_CH_FLAGS | V4L2_EVENT_CTRL_CH_VALUE, event.u.ctrl.changes);
    LONGS_EQUAL(20, event.u.ctrl.value);
    CHECK_FALSE(bench.readable());
    LONGS_EQUAL(0, set(V4L2_CID_GAIN, 50));  // its own doing: no event
    LONGS_EQUAL(ENOENT, take());
    bench.driver->change_control(V4L2_CID_GAIN, 60);
    bench.driver->change_control_flags(V4L2_CID_GAIN, V4L2_CTRL_FLAG_INACTIVE);
    LONGS_EQUAL(0, take());  // the two are one
    LONGS_EQUAL(V4L2_EVENT_CTRL_CH_FLAGS | V4L2_EVENT_CTRL_CH_VALUE, event.u.ctrl.changes);
    LONGS_EQUAL(60, event.u.ctrl.value);
    LONGS_EQUAL(0, event.pending);
    LONGS_EQUAL(V4L2_CTRL_FLAG_INACTIVE, event.u.ctrl.flags);
    LONGS_EQUAL(ENOENT, take());
    bench.driver->change_control(V4L2_CID_HFLIP, 1);  // not subscribed to
    CHECK_FALSE(bench.readable());
}

TEST(V4l2DriverControls, FeedbackAndVolatileValues) {
    LONGS_EQUAL(0, subscribe(V4L2_EVENT_CTRL, V4L2_CID_HFLIP, V4L2_EVENT_SUB_FL_ALLOW_FEEDBACK));
    LONGS_EQUAL(0, set(V4L2_CID_HFLIP, 0));  // as it was
    LONGS_EQUAL(ENOENT, take());
    LONGS_EQUAL(0, set(V4L2_CID_HFLIP, 1));
    LONGS_EQUAL(0, take());
    bench.driver->change_control_flags(V4L2_CID_HFLIP, V4L2_CTRL_FLAG_VOLATILE);
    LONGS_EQUAL(0, take());
    bench.driver->change_control(V4L2_CID_HFLIP, 0);
    LONGS_EQUAL(ENOENT, take());
    LONGS_EQUAL(0, get(V4L2_CID_HFLIP));
    LONGS_EQUAL(0, one.value);
}

TEST(V4l2DriverControls, ASourceChangeWaitsBesideFrames) {
    LONGS_EQUAL(0, subscribe(V4L2_EVENT_SOURCE_CHANGE, 0));
    CHECK_TRUE(bench.run(2));
    bench.driver->change_source();
    bench.driver->send();
    LONGS_EQUAL(0, bench.dequeue());
    CHECK_TRUE(bench.readable());
    LONGS_EQUAL(0, bench.stream(false));
    CHECK_TRUE(bench.readable());
    LONGS_EQUAL(0, take());
    LONGS_EQUAL(V4L2_EVENT_SRC_CH_RESOLUTION, event.u.src_change.changes);
    CHECK_FALSE(bench.readable());
    v4l2_event_subscription all = to(V4L2_EVENT_ALL, 0, 0);
    bench.driver->change_source();
    LONGS_EQUAL(0, bench.call(VIDIOC_UNSUBSCRIBE_EVENT, &all));
    CHECK_FALSE(bench.readable());
}
