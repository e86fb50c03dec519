/* Bins of luma of a V4L2 camera, by the plainest means: MMAP, one buffer after the other, no code
 * of glintd's.
 *
 * usage: v4l2_histogram NODE FOURCC WIDTH HEIGHT FRAMES
 *
 * Prints 256 counts of the last of FRAMES frames. Formats: GREY, NV12 (a byte each), YUYV (every
 * second byte), Y16 (the upper byte of two). Exit status 1 and a line on standard error when
 * anything fails. */
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { buffer_count = 4 };

struct picture {
    uint32_t width, height, stride;
    uint32_t first, step; /* bytes to the first sample, and from one to the next */
};

static void fail(const char* what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static void control(int camera, const char* name, unsigned long request, void* argument) {
    if (ioctl(camera, request, argument) != 0) fail(name);
}

static struct picture set_format(int camera, const char* fourcc, uint32_t width, uint32_t height) {
    char code[4] = {' ', ' ', ' ', ' '};
    memcpy(code, fourcc, strlen(fourcc) < 4 ? strlen(fourcc) : 4);
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    format.fmt.pix.width = width;
    format.fmt.pix.height = height;
    memcpy(&format.fmt.pix.pixelformat, code, 4);
    control(camera, "VIDIOC_S_FMT", VIDIOC_S_FMT, &format);
    if (memcmp(&format.fmt.pix.pixelformat, code, 4) != 0 || format.fmt.pix.width != width ||
        format.fmt.pix.height != height) {
        fprintf(stderr, "the driver gives %ux%u %.4s in place of %ux%u %.4s\n",
                format.fmt.pix.width, format.fmt.pix.height,
                (const char*)&format.fmt.pix.pixelformat, width, height, code);
        exit(1);
    }
    const int two_bytes = memcmp(code, "YUYV", 4) == 0 || memcmp(code, "Y16 ", 4) == 0;
    return (struct picture){.width = width,
                            .height = height,
                            .stride = format.fmt.pix.bytesperline,
                            .first = memcmp(code, "Y16 ", 4) == 0,
                            .step = two_bytes ? 2 : 1};
}

static void queue(int camera, uint32_t index) {
    struct v4l2_buffer buffer = {
        .index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    control(camera, "VIDIOC_QBUF", VIDIOC_QBUF, &buffer);
}

static void map_buffers(int camera, const uint8_t* memory[buffer_count]) {
    struct v4l2_requestbuffers request = {
        .count = buffer_count, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    control(camera, "VIDIOC_REQBUFS", VIDIOC_REQBUFS, &request);
    for (uint32_t index = 0; index < buffer_count; ++index) {
        struct v4l2_buffer buffer = {
            .index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
        control(camera, "VIDIOC_QUERYBUF", VIDIOC_QUERYBUF, &buffer);
        memory[index] = mmap(NULL, buffer.length, PROT_READ, MAP_SHARED, camera, buffer.m.offset);
        if (memory[index] == MAP_FAILED) fail("mmap");
        queue(camera, index);
    }
}

static void count(const struct picture* picture, const uint8_t* memory, uint32_t bins[256]) {
    memset(bins, 0, 256 * sizeof bins[0]);
    for (uint32_t y = 0; y < picture->height; ++y) {
        const uint8_t* sample = memory + (size_t)y * picture->stride + picture->first;
        for (uint32_t x = 0; x < picture->width; ++x, sample += picture->step) ++bins[*sample];
    }
}

int main(int argc, char** argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: v4l2_histogram NODE FOURCC WIDTH HEIGHT FRAMES\n");
        return 2;
    }
    const int camera = open(argv[1], O_RDWR);
    if (camera < 0) fail(argv[1]);
    const struct picture picture =
        set_format(camera, argv[2], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    const uint8_t* memory[buffer_count];
    map_buffers(camera, memory);
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    control(camera, "VIDIOC_STREAMON", VIDIOC_STREAMON, &type);

    uint32_t bins[256] = {0};
    for (int frame = 0; frame < atoi(argv[5]); ++frame) {
        struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
                                     .memory = V4L2_MEMORY_MMAP};
        control(camera, "VIDIOC_DQBUF", VIDIOC_DQBUF, &buffer);
        count(&picture, memory[buffer.index], bins);
        queue(camera, buffer.index);
    }
    for (int bin = 0; bin < 256; ++bin) printf("%u ", bins[bin]);
    printf("\n");
    return 0;
}
