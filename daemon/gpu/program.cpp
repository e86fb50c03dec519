#include "daemon/gpu/program.hpp"

#include <fmt/format.h>

namespace glint::gpu {
namespace {

std::string cache_key(const DeviceTraits& traits, std::string_view source,
                      const std::string& options) {
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", traits.platform_name, traits.platform_version,
                       traits.name, traits.version, traits.driver_version, options, source);
}

std::string build_log(cl_program program, cl_device_id device) {
    size_t size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    if (size > 0) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    }
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
}

void build(cl_program program, cl_device_id device, const std::string& options) {
    const cl_int code = clBuildProgram(program, 1, &device, options.c_str(), nullptr, nullptr);
    if (code == CL_SUCCESS) return;
    throw BuildError(fmt::format("clBuildProgram failed: {} with options \"{}\"; log: {}",
                                 error_name(code), options, build_log(program, device)));
}

std::vector<KernelHandle> create_kernels(cl_program program, cl_device_id device,
                                         std::span<const char* const> names) {
    std::vector<KernelHandle> kernels;
    for (const char* name : names) {
        cl_int code = CL_SUCCESS;
        kernels.emplace_back(clCreateKernel(program, name, &code));
        if (code == CL_SUCCESS) continue;
        // Drivers put "Not Enough Register Memory" and the like into the log only now.
        const std::string log = build_log(program, device);
        throw ClError(
            fmt::format("clCreateKernel(\"{}\"){}{}", name, log.empty() ? "" : "; log: ", log),
            code);
    }
    return kernels;
}

std::vector<unsigned char> program_binary(cl_program program) {
    size_t size = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) !=
        CL_SUCCESS) {
        return {};
    }
    std::vector<unsigned char> binary(size);
    unsigned char* pointer = binary.data();
    if (size == 0 || clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof pointer, &pointer,
                                      nullptr) != CL_SUCCESS) {
        return {};
    }
    return binary;
}

/// Empty when the binary does not serve, for whatever reason.
std::optional<BuiltProgram> from_binary(const Context& context,
                                        const std::vector<unsigned char>& binary,
                                        const std::string& options,
                                        std::span<const char* const> names) {
    if (binary.empty()) return std::nullopt;
    const unsigned char* pointer = binary.data();
    const size_t size = binary.size();
    cl_int status = CL_SUCCESS;
    cl_int code = CL_SUCCESS;
    BuiltProgram built{.from_cache = true};
    built.program = ProgramHandle(clCreateProgramWithBinary(
        context.handle.get(), 1, &context.device.id, &size, &pointer, &status, &code));
    if (code != CL_SUCCESS || status != CL_SUCCESS) return std::nullopt;
    try {
        build(built.program.get(), context.device.id, options);
        built.kernels = create_kernels(built.program.get(), context.device.id, names);
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
    return built;
}

}  // namespace

BuiltProgram build_program(const Context& context, BinaryCache& cache, std::string_view source,
                           const std::string& options, std::span<const char* const> kernel_names) {
    const std::string key = cache_key(context.device.traits, source, options);
    if (auto built = from_binary(context, cache.load(key), options, kernel_names)) {
        return std::move(*built);
    }
    cache.drop(key);

    const char* text = source.data();
    const size_t size = source.size();
    cl_int code = CL_SUCCESS;
    BuiltProgram built;
    built.program =
        ProgramHandle(clCreateProgramWithSource(context.handle.get(), 1, &text, &size, &code));
    check(code, "clCreateProgramWithSource");
    build(built.program.get(), context.device.id, options);
    built.kernels = create_kernels(built.program.get(), context.device.id, kernel_names);
    // After clCreateKernel: some drivers compile lazily, and an earlier binary is nearly empty.
    if (const auto binary = program_binary(built.program.get()); !binary.empty()) {
        cache.store(key, binary);
    }
    return built;
}

size_t max_work_group(cl_kernel kernel, cl_device_id device) {
    size_t size = 1;
    check(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size,
                                   nullptr),
          "clGetKernelWorkGroupInfo");
    return size;
}

}  // namespace glint::gpu
