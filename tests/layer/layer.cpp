#include "tests/layer/layer.hpp"

#include <CL/cl_layer.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace glint::layer {
namespace {

Layer* the_layer = nullptr;

constexpr std::pair<const char*, MemoryMode> memory_modes[] = {
    {"pass", MemoryMode::pass},
    {"shadow", MemoryMode::shadow},
    {"shadow-all", MemoryMode::shadow_all},
    {"not-aligned", MemoryMode::not_aligned},
    {"strict", MemoryMode::strict},
};

std::string variable(const char* name, const char* otherwise = "") {
    const char* text = std::getenv(name);
    return text != nullptr && *text != '\0' ? text : otherwise;
}

MemoryMode parse_mode(const std::string& text) {
    for (const auto& [name, mode] : memory_modes) {
        if (text == name) return mode;
    }
    throw std::runtime_error(fmt::format(
        "GLINT_LAYER_MEMORY is \"{}\"; it may be pass, shadow, shadow-all, not-aligned or "
        "strict",
        text));
}

uint64_t parse_seed(const std::string& text) {
    uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error == std::errc{} && end == text.data() + text.size()) return seed;
    throw std::runtime_error(fmt::format("GLINT_LAYER_SEED is \"{}\"; it is a number", text));
}

/// "1" or nothing.
bool parse_flag(const char* name) {
    const std::string text = variable(name);
    if (text.empty() || text == "0") return false;
    if (text == "1") return true;
    throw std::runtime_error(fmt::format("{} is \"{}\"; it may be 0 or 1", name, text));
}

/// Two devices of the driver below stand for two of the board's.
void ask_for_devices(size_t count) {
    const std::string kind = variable("POCL_DEVICES", "pthread");
    if (count < 2 || kind.find(' ') != std::string::npos) return;
    ::setenv("POCL_DEVICES", fmt::format("{} {}", kind, kind).c_str(), 1);
}

}  // namespace

const char* name_of(MemoryMode mode) {
    const auto* found =
        std::ranges::find(memory_modes, mode, [](const auto& pair) { return pair.second; });
    return found->first;
}

Options Options::from_environment() {
    return {.profile = variable("GLINT_LAYER_PROFILE", "gc2000"),
            .memory = parse_mode(variable("GLINT_LAYER_MEMORY", "shadow")),
            .low_pages_only = parse_flag("GLINT_LAYER_LOW_PAGES"),
            .quiet = parse_flag("GLINT_LAYER_QUIET"),
            .seed = parse_seed(variable("GLINT_LAYER_SEED", "0")),
            .report = variable("GLINT_LAYER_REPORT")};
}

Layer::Layer(const cl_icd_dispatch& below, Options given)
    : target(below),
      options(std::move(given)),
      profile(load_profile(options.profile)),
      version(profile.version()),
      faults(variable("GLINT_LAYER_FAULTS")) {
    if (options.quiet) account.be_quiet();
}

cl_int Layer::before(Function function) {
    ++account.calls[static_cast<size_t>(function)];
    const FunctionInfo& info = info_of(function);
    if (info.version > version) {
        return refuse(
            function, CL_INVALID_OPERATION,
            fmt::format("came with OpenCL {}.{}, {} has {}.{}; call what there was before",
                        info.version / 100, info.version / 10 % 10, profile.devices.front(),
                        version / 100, version / 10 % 10));
    }
    // Launches and what has faults of its own look for them where the details are known.
    const bool has_own =
        function == Function::clEnqueueNDRangeKernel || function == Function::clEnqueueTask ||
        function == Function::clBuildProgram || function == Function::clEnqueueMapBuffer ||
        function == Function::clSetEventCallback;
    if (has_own) return CL_SUCCESS;
    const auto fault = faults.on_call(function);
    return fault ? play(*fault, function) : CL_SUCCESS;
}

cl_int Layer::play(const Fault& fault, Function function) {
    switch (fault.action) {
        case Fault::Action::kill:
            std::raise(SIGKILL);
            break;
        case Fault::Action::block:
            account.note(info_of(function).name, "", "a fault: the call never returns");
            for (;;) ::pause();
        case Fault::Action::lost:
            lose_contexts();
            return refuse(function, CL_OUT_OF_RESOURCES, "a fault: the context is lost");
        case Fault::Action::error:
            return refuse(function, fault.error, "a fault that was asked for");
        default:
            break;
    }
    return CL_SUCCESS;
}

cl_int Layer::refuse(Function function, cl_int code, const std::string& sentence) {
    account.note(info_of(function).name, error_name(code), sentence);
    return code;
}

bool Layer::lost(cl_context context) const {
    if (lost_below_ == 0) return false;
    const auto info = objects.contexts.find(context);
    return info != nullptr && info->generation < lost_below_;
}

bool Layer::lost(cl_command_queue queue) const {
    if (lost_below_ == 0) return false;
    const auto info = objects.queues.find(queue);
    return info != nullptr && info->generation < lost_below_;
}

void Layer::note_unseen(MemInfo& mem) {
    const std::lock_guard lock(mem.mutex);
    if (!mem.unseen || mem.host == nullptr) return;
    account.note(
        "clReleaseMemObject", "",
        fmt::format("a kernel wrote to {} bytes of the program's own memory, which was not "
                    "mapped or read afterwards: the host may not see those results; map it "
                    "first",
                    mem.size));
}

void Layer::seen(cl_mem mem) const {
    const auto info = objects.mems.find(mem);
    if (info == nullptr) return;
    const std::lock_guard lock(info->mutex);
    info->unseen = false;
}

void Layer::finish() {
    objects.mems.for_each([this](MemInfo& mem) { note_unseen(mem); });
    write_report();
}

void Layer::write_report() const {
    std::string path = options.report;
    if (path.empty()) return;
    if (const size_t at = path.find("%p"); at != std::string::npos) {
        path.replace(at, 2, std::to_string(::getpid()));
    }
    std::ofstream file(path);
    file << account.report(objects, profile.name, name_of(options.memory), version) << std::flush;
    if (!file) std::fputs(fmt::format("glint-layer: cannot write {}\n", path).c_str(), stderr);
}

Layer& layer() {
    return *the_layer;
}

}  // namespace glint::layer

#define GLINT_EXPORT __attribute__((visibility("default")))

using glint::layer::the_layer;

/// After the program's own static objects are gone.
__attribute__((destructor)) static void end_of_process() {
    if (the_layer != nullptr) the_layer->finish();
}

GLINT_EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size,
                                                            void* value, size_t* size_ret) {
    if (name == CL_LAYER_API_VERSION) {
        const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
        return glint::layer::hand_out(glint::layer::to_bytes(glint::layer::Type::uint32, version),
                                      size, value, size_ret);
    }
    if (name == CL_LAYER_NAME) {
        return glint::layer::hand_out(glint::layer::to_bytes("glint-layer"), size, value, size_ret);
    }
    return CL_INVALID_VALUE;
}

GLINT_EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries,
                                                         const cl_icd_dispatch* below,
                                                         cl_uint* entries_ret,
                                                         const cl_icd_dispatch** layer_ret) try {
    if (below == nullptr || entries_ret == nullptr || layer_ret == nullptr) return CL_INVALID_VALUE;
    if (the_layer != nullptr) return CL_INVALID_OPERATION;
    constexpr auto known = static_cast<cl_uint>(sizeof(cl_icd_dispatch) / sizeof(void*));
    cl_icd_dispatch target{};
    std::memcpy(&target, below, std::min(entries, known) * sizeof(void*));
    the_layer = new glint::layer::Layer(target, glint::layer::Options::from_environment());
    glint::layer::ask_for_devices(the_layer->profile.devices.size());
    *entries_ret = known;
    *layer_ret = &glint::layer::make_table(target);
    return CL_SUCCESS;
} catch (const std::exception& error) {
    // The loader would go on without the layer and the program would seem to pass.
    std::fputs(fmt::format("glint-layer: {}\n", error.what()).c_str(), stderr);
    ::_exit(78);  // EX_CONFIG
}
