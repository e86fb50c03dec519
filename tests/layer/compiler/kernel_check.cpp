// glint-kernel-check: what a small Vivante GPU's compiler would say about OpenCL C files.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/layer/compiler/known_limits.hpp"

namespace {

using namespace glint::layer;

constexpr const char* usage =
    "Usage: glint-kernel-check [--device gc2000|gc7000l] [-D...|-I...|-U...|-cl-...] FILE.cl ...\n"
    "Prints what the device's compiler would refuse, and an estimate of each kernel's size.\n"
    "Exit status: 0 all is taken, 1 something is refused, 2 wrong use or no clang.\n";

struct Request {
    std::string device = "gc2000";
    std::string options;
    std::vector<std::string> files;
};

std::string quoted(const std::string& word) {
    std::string text = "\"";
    for (const char c : word) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + '"';
}

std::optional<Request> read_arguments(int argc, char** argv) {
    Request request;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--device") {
            if (++i == argc) return std::nullopt;
            request.device = argv[i];
        } else if (word.starts_with("--") || word == "-h") {
            return std::nullopt;
        } else if (word.starts_with('-')) {
            request.options += quoted(word) + ' ';
        } else {
            request.files.push_back(word);
        }
    }
    if (request.files.empty()) return std::nullopt;
    return request;
}

std::optional<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) return std::nullopt;
    return text.str();
}

std::string limit_text(uint32_t limit) {
    return limit == 0 ? "-" : std::to_string(limit);
}

/// The exit status for this file.
int print(const std::string& path, const CompilerVerdict& verdict, const CompilerLimits& limits) {
    if (!verdict.checked) {
        fmt::print(stderr, "{}: {}", path, verdict.log);
        return 2;
    }
    int status = verdict.builds ? 0 : 1;
    for (const std::string& problem : verdict.problems) fmt::print("{}: {}\n", path, problem);
    for (const KernelCost& cost : verdict.costs) {
        const bool fits = why_too_large(cost, limits).empty();
        if (!fits) status = 1;
        fmt::print("{:<44} {:<20} {:>5} / {:<4} {:>4} / {:<3} {}\n", path, cost.kernel,
                   cost.instructions, limit_text(limits.max_instructions), cost.registers,
                   limit_text(limits.max_registers), fits ? "fits" : "too large");
    }
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    const auto request = read_arguments(argc, argv);
    const auto limits = request ? known_limits(request->device) : std::nullopt;
    if (!limits) {
        std::fputs(usage, stderr);
        return 2;
    }
    fmt::print("{:<44} {:<20} {:>12} {:>10}\n", "file", "kernel", "instructions", "registers");
    int status = 0;
    for (const std::string& path : request->files) {
        const auto source = read_file(path);
        if (!source) {
            fmt::print(stderr, "{}: cannot be read\n", path);
            return 2;
        }
        status = std::max(status,
                          print(path, check_program(*source, request->options, *limits), *limits));
    }
    return status;
}
