// Building: what the old compiler would say before the driver below is asked.
#include <fmt/format.h>

#include <vector>

#include "tests/layer/handlers.hpp"
#include "tests/layer/layer.hpp"

namespace glint::layer {
namespace {

std::string joined(cl_uint count, const char** texts, const size_t* lengths) {
    std::string source;
    for (cl_uint i = 0; i < count && texts != nullptr; ++i) {
        if (texts[i] == nullptr) return {};
        const size_t length = lengths == nullptr ? 0 : lengths[i];
        source += length == 0 ? std::string_view(texts[i]) : std::string_view(texts[i], length);
        source += '\n';
    }
    return source;
}

/// What the device's own compiler would assume.
std::string options_for_driver(const char* given) {
    std::string options = given == nullptr ? "" : given;
    const CompilerLimits limits = layer().profile.compiler();
    if (options.find("-cl-std=") == std::string::npos) {
        options +=
            fmt::format(" -cl-std=CL{}.{}", limits.c_version / 100, limits.c_version / 10 % 10);
    }
    if (limits.embedded_profile) options += " -D__EMBEDDED_PROFILE__=1";
    return options + " -cl-kernel-arg-info";  // else nobody tells which arguments are constant
}

/// Checks the program's source; false if the device's compiler would refuse it.
bool accepted(ProgramInfo& program, const char* options, Function function) {
    Layer& the = layer();
    if (program.source.empty()) return true;
    CompilerVerdict verdict =
        check_program(program.source, options == nullptr ? "" : options, the.profile.compiler());
    if (!verdict.checked) {
        ++the.account.builds_unchecked;
        the.account.note(info_of(function).name, "", verdict.log);
    }
    for (const std::string& problem : verdict.problems) {
        the.refuse(function, CL_BUILD_PROGRAM_FAILURE, problem);
    }
    const std::lock_guard lock(program.mutex);
    program.refused = !verdict.builds;
    program.verdict = std::move(verdict);
    if (program.refused) ++the.account.builds_refused;
    return !program.refused;
}

cl_int refuse_by_fault(ProgramInfo* program, const Fault& fault) {
    if (fault.action != Fault::Action::fail) {
        return layer().play(fault, Function::clBuildProgram);
    }
    if (program != nullptr) {
        const std::lock_guard lock(program->mutex);
        program->refused = true;
        program->verdict.log = "(0:0) : error : a fault that was asked for\n";
    }
    return layer().refuse(Function::clBuildProgram, CL_BUILD_PROGRAM_FAILURE,
                          "a fault that was asked for");
}

/// The seed moves every kernel to another of the device's limits.
uint64_t limit_for(const std::string& kernel) {
    const Layer& the = layer();
    const uint64_t reported = the.profile.number(CL_DEVICE_MAX_WORK_GROUP_SIZE);
    const std::vector<uint64_t>& limits = the.profile.beyond.work_group_limits;
    if (limits.empty()) return reported;
    uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : kernel) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211U;
    return std::min(reported, limits[(hash + the.options.seed) % limits.size()]);
}

cl_device_id any_device() {
    return layer().devices.empty() ? nullptr : layer().devices.front();
}

/// Sorts the kernel's arguments by what it may do to them.
void learn_arguments(cl_kernel kernel, KernelInfo& info) {
    cl_uint count = 0;
    target().clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
    for (cl_uint i = 0; i < count; ++i) {
        cl_kernel_arg_address_qualifier space = 0;
        cl_kernel_arg_type_qualifier type = CL_KERNEL_ARG_TYPE_CONST;
        target().clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                                    &space, nullptr);
        target().clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type,
                                    nullptr);
        const bool constant = (type & CL_KERNEL_ARG_TYPE_CONST) != 0;
        if (space == CL_KERNEL_ARG_ADDRESS_CONSTANT) info.constants.insert(i);
        if (space == CL_KERNEL_ARG_ADDRESS_GLOBAL && !constant) info.outputs.insert(i);
    }
}

/// Empty if the kernel fits the device.
std::string why_not(const ProgramInfo& program, const std::string& name, const KernelInfo& kernel) {
    const Profile& profile = layer().profile;
    for (const KernelCost& cost : program.verdict.costs) {
        if (cost.kernel != name) continue;
        std::string why = why_too_large(cost, profile.compiler());
        if (!why.empty()) return why;
    }
    const uint64_t most = profile.number(CL_DEVICE_MAX_CONSTANT_ARGS);
    if (kernel.constants.size() > most) {
        return fmt::format("kernel {} has {} arguments in constant memory; the device takes {}",
                           name, kernel.constants.size(), most);
    }
    if (kernel.own_local_bytes > profile.number(CL_DEVICE_LOCAL_MEM_SIZE)) {
        return fmt::format("kernel {} needs {} bytes of local memory; the device has {}", name,
                           kernel.own_local_bytes, profile.number(CL_DEVICE_LOCAL_MEM_SIZE));
    }
    return {};
}

/// The vendor's lines are for the log; people get the sentence behind them.
std::string sentence_of(std::string why) {
    while (why.ends_with('\n')) why.pop_back();
    constexpr std::string_view mark = "glint-layer: ";
    const size_t at = why.rfind(mark);
    return at == std::string::npos ? why : why.substr(at + mark.size());
}

/// Learns what must be known of a kernel; CL_OUT_OF_RESOURCES if it does not fit.
cl_int admit(cl_program program, cl_kernel kernel, const std::string& name, Function function) {
    Layer& the = layer();
    const auto info = the.objects.kernels.add(kernel);
    info->name = name;
    info->work_group_limit = limit_for(name);
    learn_arguments(kernel, *info);
    cl_ulong local = 0;
    target().clGetKernelWorkGroupInfo(kernel, any_device(), CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                      &local, nullptr);
    info->own_local_bytes = local;
    const auto program_info = the.objects.programs.find(program);
    if (program_info == nullptr) return CL_SUCCESS;
    const std::lock_guard lock(program_info->mutex);
    const std::string why = why_not(*program_info, name, *info);
    if (why.empty()) return CL_SUCCESS;
    program_info->verdict.log += why + '\n';
    return the.refuse(function, CL_OUT_OF_RESOURCES, sentence_of(why));
}

std::string name_of(cl_kernel kernel) {
    size_t size = 0;
    target().clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, nullptr, &size);
    std::string name(size, '\0');
    target().clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size, name.data(), nullptr);
    if (!name.empty()) name.pop_back();
    return name;
}

void drop(cl_kernel kernel) {
    layer().objects.kernels.release(kernel);
    target().clReleaseKernel(kernel);
}

}  // namespace

cl_program CL_API_CALL on_clCreateProgramWithSource(cl_context context, cl_uint count,
                                                    const char** texts, const size_t* lengths,
                                                    cl_int* code_ret) {
    const cl_program program =
        target().clCreateProgramWithSource(context, count, texts, lengths, code_ret);
    if (program != nullptr) {
        layer().objects.programs.add(program)->source = joined(count, texts, lengths);
    }
    return program;
}

cl_program CL_API_CALL on_clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                    const cl_device_id* devices,
                                                    const size_t* lengths,
                                                    const unsigned char** binaries, cl_int* status,
                                                    cl_int* code_ret) {
    ++layer().account.binary_loads;
    return target().clCreateProgramWithBinary(context, count, devices, lengths, binaries, status,
                                              code_ret);
}

cl_int CL_API_CALL on_clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices,
                                     const char* options,
                                     void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
    Layer& the = layer();
    const auto info = the.objects.programs.find(program);
    if (const auto fault = the.faults.on_call(Function::clBuildProgram)) {
        const cl_int code = refuse_by_fault(info.get(), *fault);
        if (code != CL_SUCCESS) return code;
    }
    if (info == nullptr || info->source.empty()) {
        return target().clBuildProgram(program, count, devices, options, notify, data);
    }
    ++the.account.builds;
    if (!accepted(*info, options, Function::clBuildProgram)) {
        if (notify != nullptr) notify(program, data);
        return CL_BUILD_PROGRAM_FAILURE;
    }
    return target().clBuildProgram(program, count, devices, options_for_driver(options).c_str(),
                                   notify, data);
}

cl_int CL_API_CALL on_clCompileProgram(cl_program program, cl_uint count,
                                       const cl_device_id* devices, const char* options,
                                       cl_uint header_count, const cl_program* headers,
                                       const char** header_names,
                                       void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
    const auto info = layer().objects.programs.find(program);
    // With headers the source alone does not compile; the driver has the last word.
    if (info != nullptr && header_count == 0 &&
        !accepted(*info, options, Function::clCompileProgram)) {
        if (notify != nullptr) notify(program, data);
        return CL_COMPILE_PROGRAM_FAILURE;
    }
    return target().clCompileProgram(program, count, devices, options_for_driver(options).c_str(),
                                     header_count, headers, header_names, notify, data);
}

cl_int CL_API_CALL on_clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                            cl_program_build_info name, size_t size, void* value,
                                            size_t* size_ret) {
    const auto info = layer().objects.programs.find(program);
    if (info != nullptr) {
        const std::lock_guard lock(info->mutex);
        if (info->refused && name == CL_PROGRAM_BUILD_STATUS) {
            const Bytes status = to_bytes(Type::uint32, static_cast<uint32_t>(CL_BUILD_ERROR));
            return hand_out(status, size, value, size_ret);
        }
        if (name == CL_PROGRAM_BUILD_LOG && !info->verdict.log.empty()) {
            return hand_out(to_bytes(info->verdict.log), size, value, size_ret);
        }
    }
    return target().clGetProgramBuildInfo(program, device, name, size, value, size_ret);
}

cl_kernel CL_API_CALL on_clCreateKernel(cl_program program, const char* name, cl_int* code_ret) {
    const cl_kernel kernel = target().clCreateKernel(program, name, code_ret);
    if (kernel == nullptr) return nullptr;
    const cl_int code = admit(program, kernel, name, Function::clCreateKernel);
    if (code == CL_SUCCESS) return kernel;
    drop(kernel);
    if (code_ret != nullptr) *code_ret = code;
    return nullptr;
}

cl_int CL_API_CALL on_clCreateKernelsInProgram(cl_program program, cl_uint entries,
                                               cl_kernel* kernels, cl_uint* count_ret) {
    cl_uint count = 0;
    cl_int code = target().clCreateKernelsInProgram(program, entries, kernels, &count);
    if (code != CL_SUCCESS) return code;
    if (count_ret != nullptr) *count_ret = count;
    if (kernels == nullptr) return CL_SUCCESS;
    for (cl_uint i = 0; i < count && code == CL_SUCCESS; ++i) {
        code = admit(program, kernels[i], name_of(kernels[i]), Function::clCreateKernelsInProgram);
    }
    for (cl_uint i = 0; i < count && code != CL_SUCCESS; ++i) drop(kernels[i]);
    return code;
}

}  // namespace glint::layer
