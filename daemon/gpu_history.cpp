#include "daemon/gpu_history.hpp"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

namespace glint {
namespace {

// One line: "PHASE FAILURES BOOT-ID". Phases: "using" (the GPU is in use), "stalled", "stopped".
constexpr const char* boot_id_file = "/proc/sys/kernel/random/boot_id";

std::string read_boot_id() {
    std::ifstream file(boot_id_file);
    std::string id;
    file >> id;
    return id;
}

}  // namespace

GpuHistory::GpuHistory(std::filesystem::path file)
    : file_(std::move(file)), boot_id_(read_boot_id()) {
    std::ifstream stored(file_);
    std::string phase;
    std::string boot_id;
    int64_t failures = 0;
    if (!(stored >> phase >> failures >> boot_id) || boot_id != boot_id_) return;
    const bool known = phase == "using" || phase == "stalled" || phase == "stopped";
    constexpr int64_t most_failures = 1'000'000;
    if (!known || failures < 0 || failures > most_failures) return;
    // A process that was still using the GPU ended without saying why: killed by the watchdog, or
    // crashed inside the driver. A stall has been counted when it was written.
    failures_ = static_cast<uint32_t>(phase == "using" ? failures + 1 : failures);
}

void GpuHistory::write(const char* phase) noexcept {
    if (file_.empty()) return;
    try {
        const std::filesystem::path temporary = file_.string() + ".new";
        {
            std::ofstream file(temporary, std::ios::trunc);
            file << fmt::format("{} {} {}\n", phase, failures_, boot_id_);
            if (!file.flush()) return;
        }
        std::filesystem::rename(temporary, file_);
    } catch (const std::exception&) {
        // Nothing to be done; see the class comment.
    }
}

void GpuHistory::record_use() noexcept {
    write("using");
}

void GpuHistory::record_stall() noexcept {
    ++failures_;
    write("stalled");
}

void GpuHistory::record_healthy() noexcept {
    failures_ = 0;
    write("using");
}

void GpuHistory::record_clean_stop() noexcept {
    write("stopped");
}

}  // namespace glint
