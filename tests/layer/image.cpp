// Images: the formats and sizes that every driver of the profile has, and no others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/layer/handlers.hpp"
#include "tests/layer/layer.hpp"

namespace glint::layer {
namespace {

/// The least that OpenCL 1.1 and 1.2 demand of a full profile (tables 5.8 of both); the embedded
/// profile's list (10.1) is the same without CL_BGRA.
bool is_common(const cl_image_format& format) {
    constexpr std::array types{
        CL_UNORM_INT8,    CL_UNORM_INT16,    CL_SIGNED_INT8,    CL_SIGNED_INT16, CL_SIGNED_INT32,
        CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
    const auto type = static_cast<int>(format.image_channel_data_type);
    if (format.image_channel_order == CL_RGBA) return std::ranges::find(types, type) != types.end();
    const bool embedded = layer().profile.text(CL_DEVICE_PROFILE) == "EMBEDDED_PROFILE";
    return format.image_channel_order == CL_BGRA && type == CL_UNORM_INT8 && !embedded;
}

struct Size {
    size_t width, height, depth;
};

/// CL_SUCCESS if such an image may be made.
cl_int check(Function function, const cl_image_format* format, const Size& size) {
    Layer& the = layer();
    if (the.profile.number(CL_DEVICE_IMAGE_SUPPORT) == 0) {
        return the.refuse(function, CL_INVALID_OPERATION, "the device has no images; use buffers");
    }
    if (format != nullptr && !is_common(*format)) {
        return the.refuse(
            function, CL_IMAGE_FORMAT_NOT_SUPPORTED,
            fmt::format("image format {:#x}/{:#x}; ask clGetSupportedImageFormats",
                        format->image_channel_order, format->image_channel_data_type));
    }
    const bool volume = size.depth > 0;
    const auto most = [&](cl_device_info flat, cl_device_info deep) {
        return the.profile.number(volume ? deep : flat);
    };
    const uint64_t width = most(CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_WIDTH);
    const uint64_t height = most(CL_DEVICE_IMAGE2D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_HEIGHT);
    if (size.width > width || size.height > height ||
        size.depth > the.profile.number(CL_DEVICE_IMAGE3D_MAX_DEPTH)) {
        return the.refuse(function, CL_INVALID_IMAGE_SIZE,
                          fmt::format("an image of {}x{}x{}; the device takes {}x{}", size.width,
                                      size.height, size.depth, width, height));
    }
    return CL_SUCCESS;
}

cl_mem fail(cl_int code, cl_int* code_ret) {
    if (code_ret != nullptr) *code_ret = code;
    return nullptr;
}

}  // namespace

cl_mem CL_API_CALL on_clCreateImage2D(cl_context context, cl_mem_flags flags,
                                      const cl_image_format* format, size_t width, size_t height,
                                      size_t row, void* host, cl_int* code_ret) {
    const cl_int code = check(Function::clCreateImage2D, format, {width, height, 0});
    if (code != CL_SUCCESS) return fail(code, code_ret);
    return target().clCreateImage2D(context, flags, format, width, height, row, host, code_ret);
}

cl_mem CL_API_CALL on_clCreateImage3D(cl_context context, cl_mem_flags flags,
                                      const cl_image_format* format, size_t width, size_t height,
                                      size_t depth, size_t row, size_t slice, void* host,
                                      cl_int* code_ret) {
    const cl_int code = check(Function::clCreateImage3D, format, {width, height, depth});
    if (code != CL_SUCCESS) return fail(code, code_ret);
    return target().clCreateImage3D(context, flags, format, width, height, depth, row, slice, host,
                                    code_ret);
}

cl_mem CL_API_CALL on_clCreateImage(cl_context context, cl_mem_flags flags,
                                    const cl_image_format* format, const cl_image_desc* wanted,
                                    void* host, cl_int* code_ret) {
    const bool volume = wanted != nullptr && wanted->image_type == CL_MEM_OBJECT_IMAGE3D;
    const Size size = wanted == nullptr ? Size{}
                                        : Size{wanted->image_width, wanted->image_height,
                                               volume ? wanted->image_depth : 0};
    const cl_int code = check(Function::clCreateImage, format, size);
    if (code != CL_SUCCESS) return fail(code, code_ret);
    return target().clCreateImage(context, flags, format, wanted, host, code_ret);
}

cl_int CL_API_CALL on_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                 cl_mem_object_type type, cl_uint entries,
                                                 cl_image_format* formats, cl_uint* count_ret) {
    if (formats != nullptr && entries == 0) return CL_INVALID_VALUE;
    cl_uint count = 0;
    cl_int code = target().clGetSupportedImageFormats(context, flags, type, 0, nullptr, &count);
    if (code != CL_SUCCESS) return code;
    std::vector<cl_image_format> all(count);
    code = target().clGetSupportedImageFormats(context, flags, type, count, all.data(), nullptr);
    if (code != CL_SUCCESS) return code;
    const bool images = layer().profile.number(CL_DEVICE_IMAGE_SUPPORT) != 0;
    std::erase_if(all,
                  [&](const cl_image_format& format) { return !images || !is_common(format); });
    count = static_cast<cl_uint>(all.size());
    if (formats != nullptr) std::copy_n(all.begin(), std::min(entries, count), formats);
    if (count_ret != nullptr) *count_ret = count;
    return CL_SUCCESS;
}

}  // namespace glint::layer
