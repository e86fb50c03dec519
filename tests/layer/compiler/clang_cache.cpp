#include "tests/layer/compiler/clang_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>

namespace glint::layer::compiler {
namespace {

namespace fs = std::filesystem;

/// Asked once per process and program: an answer holds for that clang only. Empty if it does not
/// say.
std::string version_of_clang() {
    static std::mutex mutex;
    static std::map<std::string, std::string> versions;
    const std::string program = clang_program();
    const std::lock_guard lock(mutex);
    const auto known = versions.find(program);
    if (known != versions.end()) return known->second;
    return versions[program] = run_clang({"--version"}, "").output;
}

/// All that the answer depends on.
std::string request_of(std::string request, const std::vector<std::string>& arguments,
                       std::string_view input) {
    for (const std::string& argument : arguments) {
        request += argument;
        request += '\0';
    }
    return request.append(input);
}

fs::path file_for(const fs::path& folder, std::string_view request) {
    uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : request) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211U;
    return folder / fmt::format("{:016x}", hash);
}

/// The whole request stands in the file: two of the same hash are told apart.
std::optional<ClangRun> read(const fs::path& file, std::string_view request) {
    std::ifstream stream(file, std::ios::binary);
    size_t request_size = 0;
    size_t output_size = 0;
    ClangRun run;
    if (!(stream >> run.succeeded >> request_size >> output_size)) return std::nullopt;
    stream.get();
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    if (request_size + output_size > text.size()) return std::nullopt;
    if (std::string_view(text).substr(0, request_size) != request) return std::nullopt;
    run.output = text.substr(request_size, output_size);
    run.errors = text.substr(request_size + output_size);
    return run;
}

/// Under a name of its own first: others see the file whole or not at all.
void write(const fs::path& file, std::string_view request, const ClangRun& run) {
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    const fs::path unfinished = file.string() + fmt::format(".{}", ::getpid());
    std::ofstream stream(unfinished, std::ios::binary);
    stream << run.succeeded << ' ' << request.size() << ' ' << run.output.size() << '\n'
           << request << run.output << run.errors;
    stream.close();
    if (stream) fs::rename(unfinished, file, failed);
    if (!stream || failed) fs::remove(unfinished, failed);
}

}  // namespace

ClangRun cached_clang(const std::vector<std::string>& arguments, std::string_view input) {
    const char* folder = std::getenv("GLINT_LAYER_CACHE");
    if (folder == nullptr || *folder == '\0') return run_clang(arguments, input);
    const std::string version = version_of_clang();
    if (version.empty()) return run_clang(arguments, input);
    const std::string request = request_of(version, arguments, input);
    const fs::path file = file_for(folder, request);
    if (std::optional<ClangRun> kept = read(file, request)) return *std::move(kept);
    ClangRun run = run_clang(arguments, input);
    if (run.failure.empty() && (run.succeeded || !run.errors.empty())) write(file, request, run);
    return run;
}

}  // namespace glint::layer::compiler
