#include "tests/layer/api/played.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include <CppUTest/TestHarness.h>

namespace glint::layer::test {
namespace {

constexpr std::string_view prefix = "GLINT_LAYER_";

/// Nothing of whoever runs the tests may get in.
void forget_settings() {
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (text.starts_with(prefix)) names.emplace_back(text.substr(0, text.find('=')));
    }
    for (const std::string& name : names) ::unsetenv(name.c_str());
    ::unsetenv("POCL_DEVICES");
    ::setenv("POCL_CACHE_DIR", GLINT_TEST_CACHE_DIR "/pocl", 1);
    ::setenv("GLINT_LAYER_CACHE", GLINT_TEST_CACHE_DIR "/clang", 1);
}

const size_t* pointer_or_null(const Played::Sizes& sizes) {
    return sizes.empty() ? nullptr : sizes.data();
}

}  // namespace

void play(const std::string& profile, const Settings& settings) {
    forget_settings();
    ::setenv("OPENCL_LAYERS", GLINT_LAYER_SO, 1);
    ::setenv("GLINT_LAYER_PROFILE", profile.c_str(), 1);
    ::setenv("GLINT_LAYER_QUIET", "1", 1);
    for (const auto& [name, value] : settings) {
        ::setenv((std::string(prefix) + name).c_str(), value.c_str(), 1);
    }
}

void play_nothing() {
    forget_settings();
    ::unsetenv("OPENCL_LAYERS");
}

Played::Played(const std::string& profile, const Settings& settings) {
    play(profile, settings);
    LONGS_EQUAL(CL_SUCCESS, clGetPlatformIDs(1, &platform, nullptr));
    cl_uint count = 0;
    LONGS_EQUAL(CL_SUCCESS, clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 0, nullptr, &count));
    devices.resize(count);
    LONGS_EQUAL(CL_SUCCESS,
                clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, count, devices.data(), nullptr));
    context = new_context();
    queue = new_queue(context);
}

std::string Played::text(cl_device_info name) const {
    size_t size = 0;
    LONGS_EQUAL(CL_SUCCESS, clGetDeviceInfo(device(), name, 0, nullptr, &size));
    std::string text(size, '\0');
    LONGS_EQUAL(CL_SUCCESS, clGetDeviceInfo(device(), name, size, text.data(), nullptr));
    text.pop_back();
    return text;
}

cl_context Played::new_context() const {
    cl_int code = CL_SUCCESS;
    const auto count = static_cast<cl_uint>(devices.size());
    const cl_context made =
        clCreateContext(nullptr, count, devices.data(), nullptr, nullptr, &code);
    LONGS_EQUAL(CL_SUCCESS, code);
    return made;
}

cl_command_queue Played::new_queue(cl_context of) const {
    cl_int code = CL_SUCCESS;
    const cl_command_queue made = clCreateCommandQueue(of, device(), 0, &code);
    LONGS_EQUAL(CL_SUCCESS, code);
    return made;
}

cl_mem Played::buffer(size_t size, cl_mem_flags flags, void* host) const {
    cl_int code = CL_SUCCESS;
    const cl_mem made = clCreateBuffer(context, flags, size, host, &code);
    LONGS_EQUAL(CL_SUCCESS, code);
    return made;
}

cl_int Played::buffer_code(size_t size, cl_mem_flags flags, void* host) const {
    cl_int code = CL_SUCCESS;
    const cl_mem made = clCreateBuffer(context, flags, size, host, &code);
    CHECK_EQUAL(code == CL_SUCCESS, made != nullptr);
    if (made != nullptr) LONGS_EQUAL(CL_SUCCESS, clReleaseMemObject(made));
    return code;
}

std::vector<cl_uint> Played::read(cl_mem from, size_t count) const {
    std::vector<cl_uint> words(count);
    LONGS_EQUAL(CL_SUCCESS, clEnqueueReadBuffer(queue, from, CL_TRUE, 0, count * sizeof(cl_uint),
                                                words.data(), 0, nullptr, nullptr));
    return words;
}

cl_program Played::program(const std::string& source) const {
    const char* text = source.c_str();
    cl_int code = CL_SUCCESS;
    const cl_program made = clCreateProgramWithSource(context, 1, &text, nullptr, &code);
    LONGS_EQUAL(CL_SUCCESS, code);
    return made;
}

cl_int Played::build(cl_program program, const std::string& options) {
    return clBuildProgram(program, 0, nullptr, options.c_str(), nullptr, nullptr);
}

std::string Played::log(cl_program program) const {
    size_t size = 0;
    LONGS_EQUAL(CL_SUCCESS,
                clGetProgramBuildInfo(program, device(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size));
    std::string text(size, '\0');
    LONGS_EQUAL(CL_SUCCESS, clGetProgramBuildInfo(program, device(), CL_PROGRAM_BUILD_LOG, size,
                                                  text.data(), nullptr));
    return text.c_str();
}

cl_program Played::built(const std::string& source) const {
    const cl_program made = program(source);
    const cl_int code = build(made);
    if (code != CL_SUCCESS) FAIL(log(made).c_str());
    return made;
}

cl_kernel Played::kernel(const std::string& source, const char* name) const {
    cl_int code = CL_SUCCESS;
    const cl_kernel made = clCreateKernel(built(source), name, &code);
    LONGS_EQUAL(CL_SUCCESS, code);
    return made;
}

cl_int Played::kernel_code(cl_program program, const char* name) {
    cl_int code = CL_SUCCESS;
    const cl_kernel made = clCreateKernel(program, name, &code);
    CHECK_EQUAL(code == CL_SUCCESS, made != nullptr);
    return code;
}

void Played::set_bytes(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
    LONGS_EQUAL(CL_SUCCESS, clSetKernelArg(kernel, index, size, value));
}

size_t Played::work_group_limit(cl_kernel kernel) const {
    size_t limit = 0;
    LONGS_EQUAL(CL_SUCCESS, clGetKernelWorkGroupInfo(kernel, device(), CL_KERNEL_WORK_GROUP_SIZE,
                                                     sizeof limit, &limit, nullptr));
    return limit;
}

cl_int Played::launch(cl_kernel kernel, const Sizes& global, const Sizes& local,
                      const Sizes& offset) const {
    const cl_int code = clEnqueueNDRangeKernel(queue, kernel, static_cast<cl_uint>(global.size()),
                                               pointer_or_null(offset), global.data(),
                                               pointer_or_null(local), 0, nullptr, nullptr);
    if (code == CL_SUCCESS) finish();
    return code;
}

void Played::finish() const {
    LONGS_EQUAL(CL_SUCCESS, clFinish(queue));
}

void* Played::map(cl_mem mem, cl_map_flags flags, size_t offset, size_t size) const {
    cl_int code = CL_SUCCESS;
    void* pointer =
        clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, offset, size, 0, nullptr, nullptr, &code);
    LONGS_EQUAL(CL_SUCCESS, code);
    return pointer;
}

void Played::unmap(cl_mem mem, void* pointer) const {
    LONGS_EQUAL(CL_SUCCESS, clEnqueueUnmapMemObject(queue, mem, pointer, 0, nullptr, nullptr));
    finish();
}

}  // namespace glint::layer::test
