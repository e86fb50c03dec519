#include "tests/layer/compiler/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace glint::layer::compiler {
namespace {

/// Those that change what a front end accepts or how costly the result is. -cl-opt-disable is not
/// among them: the vendor's limits hold for what its optimizer makes of a kernel.
constexpr std::string_view passed_on[] = {
    "-cl-single-precision-constant", "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-denorms-are-zero",          "-cl-mad-enable",
    "-cl-no-signed-zeros",           "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",          "-cl-fast-relaxed-math",
};

std::optional<uint32_t> version_of(std::string_view standard) {
    if (standard == "CL1.0") return 100;
    if (standard == "CL1.1") return 110;
    if (standard == "CL1.2") return 120;
    if (standard == "CL2.0") return 200;
    if (standard == "CL3.0") return 300;
    return std::nullopt;
}

Finding unknown_standard(std::string_view standard, const CompilerLimits& limits) {
    const std::string highest = version_text(limits.c_version);
    return {.subject = "-cl-std",
            .vendor = fmt::format("invalid build option '-cl-std={}'", standard),
            .reason = fmt::format("{} compiles OpenCL C up to {}, not {}: build with -cl-std=CL{}",
                                  limits.device, highest, standard, highest)};
}

void take_standard(std::string_view standard, const CompilerLimits& limits, BuildOptions& options) {
    const auto version = version_of(standard);
    options.c_version = version.value_or(limits.c_version);
    if (version && *version <= limits.c_version) return;
    options.findings.push_back(unknown_standard(standard, limits));
}

/// One letter and its value, joined or in the next word, as in -DNAME and -D NAME.
bool take_joined(const std::vector<std::string>& words, size_t& at, BuildOptions& options) {
    const std::string& word = words[at];
    if (word.size() < 2 || word[0] != '-') return false;
    if (std::string_view("DUI").find(word[1]) == std::string_view::npos) return false;
    if (word.size() > 2) {
        options.arguments.push_back(word);
    } else if (at + 1 < words.size()) {
        options.arguments.push_back(word + words[++at]);
    }
    return true;
}

}  // namespace

std::string version_text(uint32_t c_version) {
    return fmt::format("{}.{}", c_version / 100, c_version / 10 % 10);
}

std::vector<std::string> split_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool inside = false;  // "" is a word too
    char quote = '\0';
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            word += text[++i];
            inside = true;
        } else if (quote != '\0') {
            if (c == quote) {
                quote = '\0';
            } else {
                word += c;
            }
        } else if (c == '"' || c == '\'') {
            quote = c;
            inside = true;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0') {
            if (inside) words.push_back(std::exchange(word, {}));
            inside = false;
        } else {
            word += c;
            inside = true;
        }
    }
    if (inside) words.push_back(word);
    return words;
}

BuildOptions parse_options(std::string_view text, const CompilerLimits& limits) {
    constexpr std::string_view standard = "-cl-std=";
    BuildOptions options;
    // As clBuildProgram is specified: without -cl-std the highest version 1.x of the device.
    options.c_version = std::min(limits.c_version, 120U);
    const std::vector<std::string> words = split_words(text);
    for (size_t at = 0; at < words.size(); ++at) {
        if (take_joined(words, at, options)) continue;
        if (words[at].starts_with(standard)) {
            take_standard(std::string_view(words[at]).substr(standard.size()), limits, options);
        } else if (std::ranges::find(passed_on, words[at]) != std::end(passed_on)) {
            options.arguments.push_back(words[at]);
        }
    }
    return options;
}

}  // namespace glint::layer::compiler
