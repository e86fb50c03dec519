#include "daemon/probe_system.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace glint {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        entries.push_back(entry.path());
    std::ranges::sort(entries);
    return entries;
}

std::string owner_name(uid_t uid) {
    const passwd* entry = ::getpwuid(uid);
    return entry != nullptr ? entry->pw_name : std::to_string(uid);
}

std::string group_name(gid_t gid) {
    const group* entry = ::getgrgid(gid);
    return entry != nullptr ? entry->gr_name : std::to_string(gid);
}

toml::table describe_node(const fs::path& path) {
    toml::table node{{"path", path.string()}};
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return node;
    node.insert("access", fmt::format("{:04o} {}:{}", status.st_mode & 07777,
                                      owner_name(status.st_uid), group_name(status.st_gid)));
    if (::access(path.c_str(), R_OK | W_OK) == 0) return node;
    node.insert("problem", fmt::format("user {} cannot open it", owner_name(::geteuid())));
    node.insert("next_step", fmt::format("add the user to group {}", group_name(status.st_gid)));
    return node;
}

toml::array nodes_like(const fs::path& folder, std::string_view prefix) {
    toml::array nodes;
    for (const fs::path& path : sorted_entries(folder)) {
        if (path.filename().string().starts_with(prefix)) nodes.push_back(describe_node(path));
    }
    return nodes;
}

/// As the ICD loader finds them: a folder of files that name one library each.
toml::table probe_icd() {
    const char* vendors = std::getenv("OCL_ICD_VENDORS");
    const fs::path folder = vendors != nullptr ? vendors : "/etc/OpenCL/vendors";
    toml::table icd{{"folder", folder.string()}};
    toml::array files;
    for (const fs::path& path : sorted_entries(folder)) {
        if (path.extension() != ".icd") continue;
        files.push_back(toml::table{{"path", path.string()}, {"library", first_line(path)}});
    }
    if (files.empty()) {
        icd.insert("problem", "no .icd file: the loader will find no OpenCL driver");
        icd.insert(
            "next_step",
            "install the BSP's OpenCL package (libopencl-imx on i.MX, pocl-opencl-icd on a desk)");
    }
    icd.insert("file", std::move(files));
    return icd;
}

toml::table probe_gpu_nodes() {
    toml::array nodes = nodes_like("/dev", "galcore");
    for (auto&& node : nodes_like("/dev/dri", "render")) nodes.push_back(node);
    toml::table gpu;
    if (nodes.empty()) {
        gpu.insert("problem", "neither /dev/galcore nor a DRM render node");
        gpu.insert("next_step",
                   "on a Vivante board load the kernel module galcore; on a desk a CPU "
                   "driver such as PoCL needs no node");
    }
    gpu.insert("node", std::move(nodes));
    return gpu;
}

toml::array probe_cameras() {
    toml::array cameras = nodes_like("/dev", "video");
    for (toml::node& camera : cameras) {
        toml::table& table = *camera.as_table();
        const fs::path path = *table["path"].value<std::string>();
        table.insert("name", first_line("/sys/class/video4linux" / path.filename() / "name"));
    }
    return cameras;
}

std::string problem_of(const toml::table& part) {
    const auto text = [&](const char* key) { return part[key].value_or(std::string()); };
    const std::string problem = text("problem");
    if (problem.empty()) return {};
    const std::string path = text("path");
    return fmt::format("{}{}{}; {}", path, path.empty() ? "" : ": ", problem, text("next_step"));
}

std::string why_not_loaded(const toml::table& file) {
    const std::string library = file["library"].value_or(std::string());
    void* handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) {
        return fmt::format("{} names {}, which cannot be loaded: {}; install it, or what it needs",
                           file["path"].value_or(std::string()), library, ::dlerror());
    }
    return {};  // not closed: drivers leave threads behind
}

}  // namespace

std::string why_no_opencl() {
    const toml::table icd = probe_icd();
    if (const std::string problem = problem_of(icd); !problem.empty()) return problem;
    for (const toml::node& file : *icd["file"].as_array()) {
        if (const std::string why = why_not_loaded(*file.as_table()); !why.empty()) return why;
    }
    const toml::table gpu = probe_gpu_nodes();
    for (const toml::node& node : *gpu["node"].as_array()) {
        const std::string problem = problem_of(*node.as_table());
        if (!problem.empty()) return problem;
    }
    return problem_of(gpu);
}

toml::table probe_system() {
    utsname kernel{};
    ::uname(&kernel);
    toml::table report;
    report.insert("kernel",
                  fmt::format("{} {} {}", kernel.sysname, kernel.release, kernel.machine));
    report.insert("board", first_line("/proc/device-tree/model"));
    report.insert("user", owner_name(::geteuid()));
    report.insert("page_bytes", static_cast<int64_t>(::sysconf(_SC_PAGESIZE)));
    report.insert("icd", probe_icd());
    report.insert("gpu", probe_gpu_nodes());
    report.insert("dma_heap", nodes_like("/dev/dma_heap", ""));
    report.insert("camera", probe_cameras());
    report.insert("gpiochip", nodes_like("/dev", "gpiochip"));
    return report;
}

}  // namespace glint
