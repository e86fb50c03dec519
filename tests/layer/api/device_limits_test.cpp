// Devices, queues, images, and functions that came later than the device.
#include "tests/layer/api/child.hpp"
#include "tests/layer/api/played.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer::test;

namespace {

constexpr cl_image_format rgba{CL_RGBA, CL_UNORM_INT8};

cl_int image_code(const Played& played, cl_image_format format, size_t width, size_t height) {
    cl_int code = CL_SUCCESS;
    clCreateImage2D(played.context, CL_MEM_READ_ONLY, &format, width, height, 0, nullptr, &code);
    return code;
}

cl_int image_1_2_code(const Played& played, cl_image_desc wanted) {
    cl_int code = CL_SUCCESS;
    clCreateImage(played.context, CL_MEM_READ_ONLY, &rgba, &wanted, nullptr, &code);
    return code;
}

cl_image_desc flat(size_t width, size_t height) {
    cl_image_desc wanted{};
    wanted.image_type = CL_MEM_OBJECT_IMAGE2D;
    wanted.image_width = width;
    wanted.image_height = height;
    return wanted;
}

cl_uint formats_of(const Played& played) {
    cl_uint count = 99;
    LONGS_EQUAL(CL_SUCCESS, clGetSupportedImageFormats(played.context, CL_MEM_READ_ONLY,
                                                       CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count));
    return count;
}

cl_int fill_code(const Played& played, cl_mem mem) {
    constexpr cl_uint pattern = 7;
    return clEnqueueFillBuffer(played.queue, mem, &pattern, sizeof pattern, 0, 64, 0, nullptr,
                               nullptr);
}

cl_int find_code(const Played& played, cl_device_type type) {
    cl_uint count = 0;
    return clGetDeviceIDs(played.platform, type, 0, nullptr, &count);
}

cl_int context_code(cl_device_type type) {
    cl_int code = CL_SUCCESS;
    clCreateContextFromType(nullptr, type, nullptr, nullptr, &code);
    return code;
}

cl_int queue_code(const Played& played, cl_command_queue_properties properties) {
    cl_int code = CL_SUCCESS;
    clCreateCommandQueue(played.context, played.device(), properties, &code);
    return code;
}

void CL_CALLBACK never_called(void* /*arguments*/) {}

std::string name_of_device(cl_device_id device) {
    char name[64] = {};
    LONGS_EQUAL(CL_SUCCESS, clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr));
    return name;
}

/// Each device of a board computes, in a queue of its own.
void check_both_devices(const char* profile, const char* first, const char* second) {
    const Played played(profile);
    LONGS_EQUAL(2, played.devices.size());
    STRCMP_EQUAL(first, name_of_device(played.devices[0]).c_str());
    STRCMP_EQUAL(second, name_of_device(played.devices[1]).c_str());
    const cl_kernel kernel = played.kernel(
        "__kernel void add(__global uint* out, uint more) { out[0] = out[0] + more; }", "add");
    cl_uint zero = 0;
    const cl_mem out = played.buffer(4, CL_MEM_COPY_HOST_PTR, &zero);
    Played::set(kernel, 0, out);
    for (cl_uint i = 0; i < 2; ++i) {
        const cl_command_queue queue =
            clCreateCommandQueue(played.context, played.devices[i], 0, nullptr);
        CHECK(queue != nullptr);
        Played::set(kernel, 1, i + 5);
        LONGS_EQUAL(CL_SUCCESS, clEnqueueTask(queue, kernel, 0, nullptr, nullptr));
        LONGS_EQUAL(CL_SUCCESS, clFinish(queue));
    }
    LONGS_EQUAL(11, played.read(out, 1)[0]);
}

}  // namespace

TEST_GROUP(DeviceLimits){};

TEST(DeviceLimits, FunctionsNewerThanGc2000) {
    const Played played("gc2000");
    LONGS_EQUAL(CL_INVALID_OPERATION, fill_code(played, played.buffer(64)));
    LONGS_EQUAL(CL_INVALID_OPERATION, image_1_2_code(played, flat(8, 8)));
    LONGS_EQUAL(CL_INVALID_OPERATION,
                clEnqueueMarkerWithWaitList(played.queue, 0, nullptr, nullptr));
    POINTERS_EQUAL(nullptr, clSVMAlloc(played.context, CL_MEM_READ_WRITE, 64, 0));
    cl_bool linker = CL_FALSE;
    LONGS_EQUAL(CL_INVALID_VALUE, clGetDeviceInfo(played.device(), CL_DEVICE_LINKER_AVAILABLE,
                                                  sizeof linker, &linker, nullptr));
}

TEST(DeviceLimits, TheSameFunctionsOnGc7000l) {
    const Played played("gc7000l");
    const cl_mem mem = played.buffer(64);
    LONGS_EQUAL(CL_SUCCESS, fill_code(played, mem));
    LONGS_EQUAL(7, played.read(mem, 16)[15]);
    LONGS_EQUAL(CL_SUCCESS, image_1_2_code(played, flat(8, 8)));
    LONGS_EQUAL(CL_SUCCESS, clEnqueueMarkerWithWaitList(played.queue, 0, nullptr, nullptr));
    POINTERS_EQUAL(nullptr, clSVMAlloc(played.context, CL_MEM_READ_WRITE, 64, 0));
    cl_int code = CL_SUCCESS;
    POINTERS_EQUAL(nullptr, clCreateCommandQueueWithProperties(played.context, played.device(),
                                                               nullptr, &code));
    LONGS_EQUAL(CL_INVALID_OPERATION, code);
    cl_bool linker = CL_FALSE;
    LONGS_EQUAL(CL_SUCCESS, clGetDeviceInfo(played.device(), CL_DEVICE_LINKER_AVAILABLE,
                                            sizeof linker, &linker, nullptr));
    LONGS_EQUAL(CL_TRUE, linker);
}

TEST(DeviceLimits, Gc2000HasNoImages) {
    const Played played("gc2000");
    LONGS_EQUAL(CL_INVALID_OPERATION, image_code(played, rgba, 8, 8));
    LONGS_EQUAL(0, formats_of(played));
}

TEST(DeviceLimits, ImageFormats) {
    const Played played("gc7000l");
    LONGS_EQUAL(CL_SUCCESS, image_code(played, rgba, 8, 8));
    LONGS_EQUAL(CL_SUCCESS, image_code(played, {CL_BGRA, CL_UNORM_INT8}, 8, 8));
    LONGS_EQUAL(CL_IMAGE_FORMAT_NOT_SUPPORTED, image_code(played, {CL_R, CL_UNORM_INT8}, 8, 8));
    LONGS_EQUAL(CL_IMAGE_FORMAT_NOT_SUPPORTED, image_code(played, {CL_BGRA, CL_FLOAT}, 8, 8));
    LONGS_EQUAL(11, formats_of(played));
}

TEST(DeviceLimits, ImageSizes) {
    const Played played("gc7000l");
    LONGS_EQUAL(CL_SUCCESS, image_code(played, rgba, 8192, 1));
    LONGS_EQUAL(CL_SUCCESS, image_code(played, rgba, 1, 8192));
    LONGS_EQUAL(CL_INVALID_IMAGE_SIZE, image_code(played, rgba, 8193, 1));
    LONGS_EQUAL(CL_INVALID_IMAGE_SIZE, image_code(played, rgba, 1, 8193));
    LONGS_EQUAL(CL_SUCCESS, image_1_2_code(played, flat(8192, 1)));
    LONGS_EQUAL(CL_INVALID_IMAGE_SIZE, image_1_2_code(played, flat(8193, 1)));
}

TEST(DeviceLimits, DepthOfAnImage) {
    const Played played("gc7000l");
    const auto code_of = [&](size_t depth) {
        cl_int code = CL_SUCCESS;
        clCreateImage3D(played.context, CL_MEM_READ_ONLY, &rgba, 1, 1, depth, 0, 0, nullptr, &code);
        return code;
    };
    LONGS_EQUAL(CL_INVALID_IMAGE_SIZE, code_of(2049));
    LONGS_EQUAL(CL_SUCCESS, code_of(2048));
}

TEST(DeviceLimits, QueuesKeepTheOrder) {
    const Played played("gc7000l");
    LONGS_EQUAL(CL_SUCCESS, queue_code(played, CL_QUEUE_PROFILING_ENABLE));
    LONGS_EQUAL(CL_INVALID_QUEUE_PROPERTIES,
                queue_code(played, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
}

TEST(DeviceLimits, NoFunctionsOfTheHost) {
    const Played played("gc7000l");
    LONGS_EQUAL(CL_INVALID_OPERATION,
                clEnqueueNativeKernel(played.queue, never_called, nullptr, 0, 0, nullptr, nullptr,
                                      0, nullptr, nullptr));
}

TEST(DeviceLimits, TheDeviceIsAGpu) {
    const Played played("gc2000");
    for (const cl_device_type type : std::vector<cl_device_type>{
             CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU}) {
        LONGS_EQUAL(CL_SUCCESS, find_code(played, type));
        LONGS_EQUAL(CL_SUCCESS, context_code(type));
    }
    LONGS_EQUAL(CL_SUCCESS, find_code(played, CL_DEVICE_TYPE_ALL));
    for (const cl_device_type type :
         std::vector<cl_device_type>{CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ACCELERATOR}) {
        LONGS_EQUAL(CL_DEVICE_NOT_FOUND, find_code(played, type));
        LONGS_EQUAL(CL_DEVICE_NOT_FOUND, context_code(type));
    }
}

TEST(DeviceLimits, TheDeviceIsNotDivided) {
    const Played played("gc7000l");
    constexpr cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint count = 0;
    LONGS_EQUAL(CL_INVALID_VALUE, clCreateSubDevices(played.device(), equally, 0, nullptr, &count));
}

TEST(DeviceLimits, ExtensionsOfTheDriverBelowAreNotTheDevices) {
    const Played played("gc7000l");
    CHECK(nullptr ==
          clGetExtensionFunctionAddressForPlatform(played.platform, "clSetContentSizeBufferPoCL"));
}

TEST(DeviceLimits, BothDevicesOfGc7000ulWork) {
    check_both_devices("gc7000ul", "GC7000UL", "VIPNano");
}

TEST(DeviceLimits, BothDevicesOfGc7000xsvxWork) {
    check_both_devices("gc7000xsvx", "GC7000XSVX.6009", "GC7000XSVX.6009");
}
