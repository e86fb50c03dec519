// The scripted capture driver keeps videobuf2's rules: what passes on it passes on a kernel.
#include <fcntl.h>
#include <linux/videodev2.h>

#include <cerrno>
#include <ctime>
#include <string>
#include <vector>

#include "tests/fakes/v4l2_bench.hpp"
#include "zero_copy/frame_memory.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes;
using namespace glint::fakes::v4l2;
using glint::zero_copy::page_bytes;

TEST_GROUP(V4l2Driver){};

TEST(V4l2Driver, BuffersAreRaisedLoweredAndRefused) {
    Bench bench(imx7_media_csi());
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 1));
    LONGS_EQUAL(3, bench.requested.count);
    LONGS_EQUAL(V4L2_BUF_CAP_SUPPORTS_MMAP | V4L2_BUF_CAP_SUPPORTS_DMABUF |
                    V4L2_BUF_CAP_SUPPORTS_ORPHANED_BUFS,
                bench.requested.capabilities);
    LONGS_EQUAL(EINVAL, bench.request(V4L2_MEMORY_USERPTR, 3));
    LONGS_EQUAL(3, bench.driver->live_buffers());
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 100));
    LONGS_EQUAL(VIDEO_MAX_FRAME, bench.requested.count);
    Traits small = imx7_media_csi();
    small.max_buffers = 4;
    Bench little(small);
    LONGS_EQUAL(0, little.request(V4L2_MEMORY_MMAP, 5));
    LONGS_EQUAL(4, little.requested.count);
    small.max_buffers = 2;  // fewer than the driver needs
    Bench none(small);
    LONGS_EQUAL(ENOMEM, none.request(V4L2_MEMORY_MMAP, 5));
    LONGS_EQUAL(0, none.driver->live_buffers());
    LONGS_EQUAL(0, none.request(V4L2_MEMORY_DMABUF, 5));
    Bench old(mxc_capture());
    LONGS_EQUAL(0, old.request(V4L2_MEMORY_MMAP, 0));
    LONGS_EQUAL(0, old.requested.capabilities);
}

TEST(V4l2Driver, BuffersCanBeAdded) {
    Bench bench(vivid());
    LONGS_EQUAL(0, bench.set_format(V4L2_PIX_FMT_GREY, 640, 480));
    CHECK_TRUE(bench.run(2));
    v4l2_create_buffers more{};
    more.count = 2;
    more.memory = V4L2_MEMORY_MMAP;
    more.format = bench.format;
    LONGS_EQUAL(0, bench.call(VIDIOC_CREATE_BUFS, &more));
    LONGS_EQUAL(2, more.index);
    LONGS_EQUAL(4, bench.driver->live_buffers());
    more.memory = V4L2_MEMORY_USERPTR;
    LONGS_EQUAL(EINVAL, bench.call(VIDIOC_CREATE_BUFS, &more));
    more.memory = V4L2_MEMORY_MMAP;
    more.format.fmt.pix.sizeimage = 100;
    LONGS_EQUAL(EINVAL, bench.call(VIDIOC_CREATE_BUFS, &more));
}

TEST(V4l2Driver, AQueueHasOneOwner) {
    Bench bench(vivid());
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 2));
    const int owner = bench.fd;
    bench.fd = bench.machine.open("/dev/video0", O_RDWR | O_NONBLOCK);
    LONGS_EQUAL(2, bench.driver->open_handles());
    LONGS_EQUAL(EBUSY, bench.request(V4L2_MEMORY_MMAP, 2));
    LONGS_EQUAL(EBUSY, bench.queue(0));
    LONGS_EQUAL(EBUSY, bench.dequeue());
    LONGS_EQUAL(EBUSY, bench.stream(true));
    LONGS_EQUAL(EBUSY, bench.export_buffer(0, O_CLOEXEC));
    LONGS_EQUAL(EBUSY, bench.set_format(V4L2_PIX_FMT_GREY, 640, 480));
    LONGS_EQUAL(0, bench.query(0));
    bench.machine.close(owner);
    LONGS_EQUAL(0, bench.driver->live_buffers());
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 2));
    bench.driver->busy_elsewhere(true);
    LONGS_EQUAL(EBUSY, bench.stream(true));
    bench.driver->busy_elsewhere(false);
    LONGS_EQUAL(0, bench.stream(true));
    LONGS_EQUAL(EBUSY, bench.request(V4L2_MEMORY_MMAP, 0));
}

TEST(V4l2Driver, FramesComeOutInTheOrderOfTheQueue) {
    Bench bench(vivid());
    CHECK_TRUE(bench.run(3));
    LONGS_EQUAL(EAGAIN, bench.dequeue());
    CHECK_FALSE(bench.readable());
    LONGS_EQUAL(0, *bench.driver->send());
    LONGS_EQUAL(1, *bench.driver->send());
    LONGS_EQUAL(0, bench.dequeue());
    LONGS_EQUAL(0, bench.buffer.index);
    LONGS_EQUAL(0, bench.buffer.sequence);
    CHECK_TRUE(bench.readable());
    LONGS_EQUAL(0, bench.dequeue());
    LONGS_EQUAL(1, bench.buffer.index);
    LONGS_EQUAL(1, bench.buffer.sequence);
    LONGS_EQUAL(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, bench.buffer.flags);
    CHECK_FALSE(bench.readable());
    LONGS_EQUAL(0, bench.queue(1));
    LONGS_EQUAL(EINVAL, bench.queue(1));
    LONGS_EQUAL(EINVAL, bench.queue(3));
    LONGS_EQUAL(EINVAL, bench.queue_memory(0, nullptr, 0));  // another memory than was asked for
    STRCMP_EQUAL("", bench.driver
                         ->missing_in_order({"OPEN", "REQBUFS mmap 3", "QBUF 0", "QBUF 2",
                                             "STREAMON", "DQBUF: EAGAIN", "DQBUF 0", "DQBUF 1",
                                             "QBUF 1", "QBUF 1: EINVAL"})
                         .c_str());
    LONGS_EQUAL(4, bench.driver->times("QBUF"));
    CHECK_FALSE(bench.driver->missing_in_order({"STREAMON", "QBUF 0"}).empty());
}

TEST(V4l2Driver, ADriverMayWaitForBuffersBeforeItStarts) {
    Bench bench(imx7_media_csi());
    LONGS_EQUAL(EINVAL, bench.stream(true));
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 3));
    LONGS_EQUAL(0, bench.queue(0));
    LONGS_EQUAL(EINVAL, bench.dequeue());
    LONGS_EQUAL(0, bench.stream(true));
    LONGS_EQUAL(0, bench.stream(true));
    CHECK_FALSE(bench.driver->send().has_value());
    LONGS_EQUAL(0, bench.driver->lost_frames());
    LONGS_EQUAL(0, bench.queue(1));
    LONGS_EQUAL(0, *bench.driver->send());
}

TEST(V4l2Driver, StreamOffGivesEveryBufferBack) {
    Bench bench(vivid());
    CHECK_TRUE(bench.run(3));
    bench.driver->send();
    LONGS_EQUAL(0, bench.query(0));
    CHECK_TRUE((bench.buffer.flags & V4L2_BUF_FLAG_DONE) != 0);
    LONGS_EQUAL(0, bench.query(1));
    CHECK_TRUE((bench.buffer.flags & V4L2_BUF_FLAG_QUEUED) != 0);
    LONGS_EQUAL(0, bench.stream(false));
    CHECK_FALSE(bench.readable());
    LONGS_EQUAL(EINVAL, bench.dequeue());
    LONGS_EQUAL(0, bench.stream(false));
    for (uint32_t i = 0; i < 3; ++i) LONGS_EQUAL(0, bench.queue(i));
    LONGS_EQUAL(0, bench.stream(true));
    bench.driver->send();
    LONGS_EQUAL(0, bench.dequeue());
    LONGS_EQUAL(0, bench.buffer.sequence);
    STRCMP_EQUAL("", bench.driver->missing_in_order({"STREAMOFF", "QBUF 0"}).c_str());
}

TEST(V4l2Driver, AGraphThatDoesNotFitLeavesBuffersQueued) {
    Bench bench(imx8_isi());
    bench.driver->break_graph(true);
    CHECK_FALSE(bench.run(3));
    STRCMP_EQUAL("STREAMON: EPIPE", bench.driver->log().back().c_str());
    LONGS_EQUAL(EINVAL, bench.queue(0));
    LONGS_EQUAL(0, bench.stream(false));
    bench.driver->break_graph(false);
    for (uint32_t i = 0; i < 3; ++i) LONGS_EQUAL(0, bench.queue(i));
    LONGS_EQUAL(0, bench.stream(true));
}

TEST(V4l2Driver, TheQbufThatWouldStartTheHardwareTellsOfTheGraph) {
    Bench bench(imx8_isi());
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 3));
    LONGS_EQUAL(0, bench.queue(0));
    LONGS_EQUAL(0, bench.stream(true));
    bench.driver->break_graph(true);
    LONGS_EQUAL(EPIPE, bench.queue(1));
    LONGS_EQUAL(1, bench.driver->queued_buffers());
    bench.driver->break_graph(false);
    LONGS_EQUAL(0, bench.queue(1));
    LONGS_EQUAL(0, *bench.driver->send());
}

TEST(V4l2Driver, OnlyTheOwnerOfARunningStreamIsWoken) {
    Bench bench(vivid());
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 2));
    bench.driver->fatal_error();
    CHECK_FALSE(bench.readable());
    LONGS_EQUAL(0, bench.stream(false));
    CHECK_TRUE(bench.run(2));
    const int owner = bench.fd;
    bench.fd = bench.machine.open("/dev/video0", O_RDWR | O_NONBLOCK);
    bench.driver->send();
    CHECK_FALSE(bench.readable());
    bench.machine.close(bench.fd);
    bench.fd = owner;
    CHECK_TRUE(bench.readable());
}

TEST(V4l2Driver, FramesWithoutABufferAreLostAndCounted) {
    Bench bench(vivid());
    CHECK_TRUE(bench.run(2));
    for (int i = 0; i < 5; ++i) bench.driver->send();
    LONGS_EQUAL(3, bench.driver->lost_frames());
    LONGS_EQUAL(0, bench.dequeue());
    LONGS_EQUAL(0, bench.dequeue());
    LONGS_EQUAL(0, bench.queue(0));
    bench.driver->send({.skipped = 10});
    LONGS_EQUAL(0, bench.dequeue());
    LONGS_EQUAL(15, bench.buffer.sequence);
    Bench stuck(mxc_capture());
    CHECK_TRUE(stuck.run(2));
    stuck.driver->send();
    stuck.driver->send();
    LONGS_EQUAL(0, stuck.dequeue());
    LONGS_EQUAL(0, stuck.dequeue());
    LONGS_EQUAL(0, stuck.buffer.sequence);
    LONGS_EQUAL(V4L2_BUF_FLAG_TIMESTAMP_UNKNOWN, stuck.buffer.flags);
}

TEST(V4l2Driver, AFrameIsAsTheTestSays) {
    Bench bench(vivid());
    CHECK_TRUE(bench.run(2));
    const timeval stamp{.tv_sec = 12, .tv_usec = 34};
    bench.driver->send({.flags = V4L2_BUF_FLAG_ERROR, .bytesused = 100, .timestamp = stamp});
    bench.driver->send();
    LONGS_EQUAL(0, bench.dequeue());
    CHECK_TRUE((bench.buffer.flags & V4L2_BUF_FLAG_ERROR) != 0);
    CHECK_FALSE((bench.buffer.flags & V4L2_BUF_FLAG_DONE) != 0);
    LONGS_EQUAL(100, bench.buffer.bytesused);
    LONGS_EQUAL(12, bench.buffer.timestamp.tv_sec);
    LONGS_EQUAL(0, bench.dequeue());
    CHECK_FALSE((bench.buffer.flags & V4L2_BUF_FLAG_ERROR) != 0);
    LONGS_EQUAL(640 * 480 * 2, bench.buffer.bytesused);
}

TEST(V4l2Driver, StampsMayBeOfAnotherClockThanTheFlagsSay) {
    Traits traits = uvcvideo();
    traits.realtime = true;
    Bench bench(traits);
    CHECK_TRUE(bench.run(2));
    const time_t before = ::time(nullptr);
    bench.driver->send();
    LONGS_EQUAL(0, bench.dequeue());
    CHECK_TRUE(bench.buffer.timestamp.tv_sec >= before);
    LONGS_EQUAL(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE,
                bench.buffer.flags);
}

TEST(V4l2Driver, AFatalErrorLastsUntilStreamOff) {
    Bench bench(vivid());
    CHECK_TRUE(bench.run(2));
    bench.driver->send();
    bench.driver->fatal_error();
    CHECK_TRUE(bench.readable());
    LONGS_EQUAL(EIO, bench.dequeue());
    LONGS_EQUAL(EIO, bench.queue(0));
    LONGS_EQUAL(0, bench.stream(false));
    CHECK_FALSE(bench.readable());
    LONGS_EQUAL(0, bench.queue(0));
}

TEST(V4l2Driver, AfterADisconnectEverythingIsGone) {
    Bench bench(vivid());
    CHECK_TRUE(bench.run(2));
    bench.driver->disconnect();
    CHECK_TRUE(bench.readable());
    LONGS_EQUAL(ENODEV, bench.dequeue());
    LONGS_EQUAL(ENODEV, bench.stream(false));
    POINTERS_EQUAL(nullptr, bench.map(page_bytes));
    LONGS_EQUAL(ENODEV, errno);
    LONGS_EQUAL(-1, bench.machine.open("/dev/video0", O_RDWR));
    LONGS_EQUAL(ENODEV, errno);
    CHECK_FALSE(bench.driver->send().has_value());
    bench.close();
    LONGS_EQUAL(0, bench.driver->open_handles());
    LONGS_EQUAL(0, bench.driver->live_buffers());
    STRCMP_EQUAL("CLOSE", bench.driver->log().back().c_str());
}

TEST(V4l2Driver, CallsFailWhenTheTestSaysSo) {
    Bench bench(vivid());
    bench.driver->fail_next(VIDIOC_REQBUFS, EINTR, 2);
    LONGS_EQUAL(EINTR, bench.request(V4L2_MEMORY_MMAP, 2));
    LONGS_EQUAL(EINTR, bench.request(V4L2_MEMORY_MMAP, 2));
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 2));
    LONGS_EQUAL(0, bench.query(0));
    bench.driver->fail_next(map_call, ENOMEM);
    POINTERS_EQUAL(nullptr, bench.map(page_bytes));
    LONGS_EQUAL(ENOMEM, errno);
    bench.driver->fail_next(open_call, EACCES);
    LONGS_EQUAL(-1, bench.machine.open("/dev/video0", O_RDWR));
    LONGS_EQUAL(EACCES, errno);
}

TEST(V4l2Driver, WithoutNonblockACallThatWouldWaitIsTold) {
    Bench bench(vivid());
    bench.machine.close(bench.fd);
    bench.fd = bench.machine.open("/dev/video0", O_RDWR);
    CHECK_TRUE(bench.run(2));
    LONGS_EQUAL(EDEADLK, bench.dequeue());
    bench.driver->send();
    LONGS_EQUAL(0, bench.dequeue());
}

TEST(V4l2Driver, AHookSeesEveryCallAndMayUseTheDriver) {
    std::vector<std::string> seen;
    Bench bench(vivid());
    bench.driver->on_event([&](const std::string& text) {
        seen.push_back(text);
        if (text == "STREAMON") bench.driver->send();
    });
    CHECK_TRUE(bench.run(2));
    CHECK_TRUE(bench.readable());
    STRCMP_EQUAL("REQBUFS mmap 2", seen.front().c_str());
    STRCMP_EQUAL("STREAMON", seen.back().c_str());
}
