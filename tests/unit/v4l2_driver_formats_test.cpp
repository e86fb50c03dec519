// What the scripted capture driver says of itself and of its pictures.
#include <linux/videodev2.h>

#include <cerrno>

#include "tests/fakes/v4l2_bench.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes::v4l2;

TEST_GROUP(V4l2DriverFormats){};

TEST(V4l2DriverFormats, SaysWhatItIs) {
    Bench isi(imx8_isi());
    v4l2_capability capability{};
    LONGS_EQUAL(0, isi.call(VIDIOC_QUERYCAP, &capability));
    STRCMP_EQUAL("mxc-isi", reinterpret_cast<const char*>(capability.driver));
    const uint32_t capture = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE;
    LONGS_EQUAL(V4L2_CAP_VIDEO_CAPTURE_MPLANE, capability.device_caps & capture);
    Bench usb(uvcvideo());
    LONGS_EQUAL(0, usb.call(VIDIOC_QUERYCAP, &capability));
    LONGS_EQUAL(V4L2_CAP_VIDEO_CAPTURE, capability.device_caps & capture);
    // Another node of the same device has metadata: only device_caps are of this one.
    CHECK_TRUE((capability.capabilities & V4L2_CAP_META_CAPTURE) != 0);
    CHECK_FALSE((capability.device_caps & V4L2_CAP_META_CAPTURE) != 0);
    LONGS_EQUAL(ENOTTY, usb.call(VIDIOC_G_INPUT, &capability));
}

TEST(V4l2DriverFormats, FormatsAreAdjustedAndKeptWhileThereAreBuffers) {
    Bench bench(vivid());
    LONGS_EQUAL(0, bench.set_format(V4L2_PIX_FMT_NV12, 1900, 1000));
    const v4l2_pix_format& pix = bench.format.fmt.pix;
    LONGS_EQUAL(1920, pix.width);
    LONGS_EQUAL(1080, pix.height);
    LONGS_EQUAL(1920, pix.bytesperline);
    LONGS_EQUAL(3110400, pix.sizeimage);
    LONGS_EQUAL(V4L2_FIELD_NONE, pix.field);
    v4l2_format tried = bench.format;
    tried.fmt.pix.pixelformat = v4l2_fourcc('N', 'O', 'N', 'E');
    LONGS_EQUAL(0, bench.call(VIDIOC_TRY_FMT, &tried));
    LONGS_EQUAL(V4L2_PIX_FMT_YUYV, tried.fmt.pix.pixelformat);
    LONGS_EQUAL(0, bench.call(VIDIOC_G_FMT, &tried));
    LONGS_EQUAL(V4L2_PIX_FMT_NV12, tried.fmt.pix.pixelformat);
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 2));
    LONGS_EQUAL(EBUSY, bench.set_format(V4L2_PIX_FMT_GREY, 640, 480));
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 0));
    LONGS_EQUAL(0, bench.set_format(V4L2_PIX_FMT_GREY, 640, 480));
    bench.mplane = true;
    LONGS_EQUAL(EINVAL, bench.set_format(V4L2_PIX_FMT_GREY, 640, 480));
    LONGS_EQUAL(EINVAL, bench.request(V4L2_MEMORY_MMAP, 2));
}

TEST(V4l2DriverFormats, RowsAreAlignedPaddedAndMisreported) {
    Traits traits = imx7_media_csi();
    traits.row_alignment = 64;
    Bench aligned(traits);
    LONGS_EQUAL(0, aligned.set_format(V4L2_PIX_FMT_GREY, 1000, 100));
    LONGS_EQUAL(1000, aligned.format.fmt.pix.width);
    LONGS_EQUAL(1024, aligned.format.fmt.pix.bytesperline);
    LONGS_EQUAL(102400, aligned.format.fmt.pix.sizeimage);
    traits.wrong_bytesperline = 1872;
    Bench wrong(traits);
    LONGS_EQUAL(0, wrong.set_format(V4L2_PIX_FMT_GREY, 1920, 1080));
    LONGS_EQUAL(1872, wrong.format.fmt.pix.bytesperline);
    LONGS_EQUAL(1920 * 1080, wrong.format.fmt.pix.sizeimage);
    Bench isi(imx8_isi());
    LONGS_EQUAL(0, isi.set_format(V4L2_PIX_FMT_NV12, 1920, 1080));
    isi.format.fmt.pix_mp.plane_fmt[0].bytesperline = 2048;
    LONGS_EQUAL(0, isi.call(VIDIOC_S_FMT, &isi.format));
    LONGS_EQUAL(1, isi.format.fmt.pix_mp.num_planes);
    LONGS_EQUAL(2048, isi.format.fmt.pix_mp.plane_fmt[0].bytesperline);
    LONGS_EQUAL(2048 * 1080 * 3 / 2, isi.format.fmt.pix_mp.plane_fmt[0].sizeimage);
}

TEST(V4l2DriverFormats, EnumeratesFormatsSizesAndRates) {
    Bench usb(uvcvideo());
    v4l2_fmtdesc description{};
    description.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    description.index = 1;
    LONGS_EQUAL(0, usb.call(VIDIOC_ENUM_FMT, &description));
    LONGS_EQUAL(V4L2_PIX_FMT_MJPEG, description.pixelformat);
    LONGS_EQUAL(V4L2_FMT_FLAG_COMPRESSED, description.flags);
    description.index = 3;
    LONGS_EQUAL(EINVAL, usb.call(VIDIOC_ENUM_FMT, &description));
    v4l2_frmsizeenum size{};
    size.pixel_format = V4L2_PIX_FMT_GREY;
    size.index = 2;
    LONGS_EQUAL(0, usb.call(VIDIOC_ENUM_FRAMESIZES, &size));
    LONGS_EQUAL(V4L2_FRMSIZE_TYPE_DISCRETE, size.type);
    LONGS_EQUAL(1920, size.discrete.width);
    size.index = 3;
    LONGS_EQUAL(EINVAL, usb.call(VIDIOC_ENUM_FRAMESIZES, &size));
    v4l2_frmivalenum interval{};
    interval.pixel_format = V4L2_PIX_FMT_GREY;
    interval.width = 640;
    interval.height = 480;
    interval.index = 1;
    LONGS_EQUAL(0, usb.call(VIDIOC_ENUM_FRAMEINTERVALS, &interval));
    LONGS_EQUAL(15, interval.discrete.denominator);
    interval.width = 641;
    LONGS_EQUAL(EINVAL, usb.call(VIDIOC_ENUM_FRAMEINTERVALS, &interval));
    Traits silent = imx7_media_csi();
    silent.enumerates_sizes = false;
    Bench csi(silent);
    size.index = 0;
    LONGS_EQUAL(ENOTTY, csi.call(VIDIOC_ENUM_FRAMESIZES, &size));
    LONGS_EQUAL(ENOTTY, csi.call(VIDIOC_ENUM_FRAMEINTERVALS, &interval));
}

TEST(V4l2DriverFormats, TheNearestRateIsTakenUnlessItStreams) {
    Bench usb(uvcvideo());
    v4l2_streamparm parm{};
    parm.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    parm.parm.capture.timeperframe = {1, 14};
    LONGS_EQUAL(0, usb.call(VIDIOC_S_PARM, &parm));
    LONGS_EQUAL(15, parm.parm.capture.timeperframe.denominator);
    LONGS_EQUAL(V4L2_CAP_TIMEPERFRAME, parm.parm.capture.capability);
    CHECK_TRUE(usb.run(2));
    LONGS_EQUAL(EBUSY, usb.call(VIDIOC_S_PARM, &parm));
    LONGS_EQUAL(0, usb.call(VIDIOC_G_PARM, &parm));
    Bench csi(imx7_media_csi());
    LONGS_EQUAL(ENOTTY, csi.call(VIDIOC_S_PARM, &parm));
}
