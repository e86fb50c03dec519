#include "tests/layer/compiler/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tests/layer/compiler/budget.hpp"
#include "tests/layer/compiler/clang_cache.hpp"
#include "tests/layer/compiler/features.hpp"
#include "tests/layer/compiler/options.hpp"
#include "tests/layer/compiler/source_rules.hpp"

namespace glint::layer {
namespace {

using namespace compiler;
using Arguments = std::vector<std::string>;

/// A program with more is not read to its end by anybody.
constexpr size_t most_findings = 30;

Arguments front_end_arguments(const BuildOptions& options, const CompilerLimits& limits) {
    Arguments arguments = {
        "-x", "cl", "-target", "spir-unknown-unknown", "-w", "-fno-caret-diagnostics",
        "-fno-color-diagnostics", "-cl-std=CL" + version_text(options.c_version),
        // The driver would declare built-in functions by a table that ties vload_half to
        // cl_khr_fp16; the header has it right.
        "-cl-no-stdinc", fmt::format("-D__OPENCL_VERSION__={}", limits.c_version)};
    if (limits.embedded_profile) arguments.emplace_back("-D__EMBEDDED_PROFILE__=1");
    if (!limits.images) arguments.emplace_back("-U__IMAGE_SUPPORT__");
    return arguments;
}

/// Extensions that clang knows it switches on, and off again what the device lacks; it says nothing
/// about others, so that their macros are defined here.
void add_extensions(Arguments& arguments, const CompilerLimits& limits, bool all) {
    std::string list = all ? "-cl-ext=+all" : "-cl-ext=-all";
    for (const std::string& extension : limits.extensions) {
        if (!all) list += ",+" + extension;
        arguments.push_back(fmt::format("-D{}=1", extension));
    }
    arguments.insert(arguments.end(), {"-Xclang", list});
}

class Check {
  public:
    Check(const std::string& source, const std::string& options, const CompilerLimits& limits)
        : source_(source), limits_(limits), options_(parse_options(options, limits)) {}

    CompilerVerdict run() {
        for (Finding& finding : options_.findings) add(std::move(finding));
        if (preprocess() && compile() && findings_.empty()) estimate();
        return verdict();
    }

  private:
    /// False when there is no more to see.
    bool preprocess() {
        Arguments arguments = arguments_for(false);
        arguments.insert(arguments.end(), {"-E", "-"});
        const ClangRun run = cached_clang(arguments, source_);
        if (!run.succeeded) return refused(run), false;
        tokens_ = tokenize(run.output);
        if (limits_.old_front_end) {
            for (Finding& finding : broken_rules(tokens_, limits_.device)) add(std::move(finding));
        }
        return true;
    }

    bool compile() {
        ClangRun run = to_ir(false);
        if (!run.succeeded) {
            if (!refused(run)) return false;
            // With all that the device lacks, to find the other sins of the same program too.
            run = to_ir(true);
            if (!run.succeeded) return name_search(), false;
        }
        ir_ = std::move(run.output);
        for (Finding& finding : missing_features(ir::parse(ir_), tokens_, limits_)) {
            add(std::move(finding));
        }
        return true;
    }

    void name_search() {
        for (Finding& finding : missing_by_name(tokens_, limits_)) add(std::move(finding));
    }

    /// As clang's front end writes it, before any pass: -O0 would forbid to optimize it later.
    [[nodiscard]] ClangRun to_ir(bool generous) const {
        Arguments arguments = arguments_for(generous);
        arguments.insert(arguments.end(),
                         {"-Xclang", "-finclude-default-header", "-O1", "-Xclang",
                          "-disable-llvm-passes", "-S", "-emit-llvm", "-o", "-", "-"});
        return cached_clang(arguments, source_);
    }

    [[nodiscard]] Arguments arguments_for(bool generous) const {
        BuildOptions options = options_;
        if (generous) options.c_version = std::max(options.c_version, 120U);
        Arguments arguments = front_end_arguments(options, limits_);
        add_extensions(arguments, limits_, generous);
        // Last, so that a program's own -D and -U win.
        arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
        return arguments;
    }

    /// Loops stay loops: what the vendor's compiler unrolls is not known.
    void estimate() {
        const ClangRun run =
            cached_clang({"-x", "ir", "-target", "spir-unknown-unknown", "-w", "-O2",
                          "-fno-unroll-loops", "-fno-vectorize", "-fno-slp-vectorize", "-mllvm",
                          "-inline-threshold=100000", "-S", "-emit-llvm", "-o", "-", "-"},
                         ir_);
        if (run.succeeded) {
            costs_ = kernel_costs(ir::parse(run.output), limits_);
        } else {
            unchecked(run);
        }
    }

    /// True if clang refused the program; false if it did not get as far as judging it.
    bool refused(const ClangRun& run) {
        std::vector<Finding> found;
        if (run.failure.empty()) found = read_diagnostics(run.errors, limits_);
        if (found.empty()) unchecked(run);
        for (Finding& finding : found) add(std::move(finding));
        return !found.empty();
    }

    void unchecked(const ClangRun& run) {
        const std::string& why = run.failure.empty() ? run.errors : run.failure;
        failure_ = fmt::format(
            "glint-layer: the program was not checked for {}: {}; install clang "
            "or set GLINT_LAYER_CLANG\n",
            limits_.device, why.substr(0, why.find('\n')));
    }

    void add(Finding finding) {
        const auto same = [&](const Finding& other) { return other.subject == finding.subject; };
        if (std::ranges::none_of(findings_, same)) findings_.push_back(std::move(finding));
    }

    [[nodiscard]] CompilerVerdict verdict() {
        CompilerVerdict verdict;
        if (failure_) {
            verdict.checked = false;
            verdict.log = *failure_;
            return verdict;
        }
        verdict.builds = findings_.empty();
        std::ranges::stable_sort(findings_, {}, &Finding::line);
        for (const Finding& finding : findings_) {
            if (verdict.problems.size() == most_findings) break;
            std::string problem = finding.line == 0
                                      ? finding.reason
                                      : fmt::format("line {}: {}", finding.line, finding.reason);
            verdict.log += fmt::format("({}:0) : error : {}\nglint-layer: {}\n", finding.line,
                                       finding.vendor, problem);
            verdict.problems.push_back(std::move(problem));
        }
        verdict.costs = std::move(costs_);
        return verdict;
    }

    const std::string& source_;
    const CompilerLimits& limits_;
    BuildOptions options_;
    std::vector<Token> tokens_;
    std::string ir_;
    std::vector<Finding> findings_;
    std::vector<KernelCost> costs_;
    std::optional<std::string> failure_;
};

std::string too_large(const KernelCost& cost, const CompilerLimits& limits, std::string_view vendor,
                      std::string_view what, uint32_t has, std::string_view instead) {
    return fmt::format(
        "{}\nOCL-007005: (clCreateKernel) cannot link kernel {}\nglint-layer: kernel "
        "'{}' takes about {}, {} has {}: {}\n",
        vendor, cost.kernel, cost.kernel, what, limits.device, has, instead);
}

}  // namespace

CompilerVerdict check_program(const std::string& source, const std::string& options,
                              const CompilerLimits& limits) {
    return Check(source, options, limits).run();
}

std::string why_too_large(const KernelCost& cost, const CompilerLimits& limits) {
    if (limits.max_instructions != 0 && cost.instructions > limits.max_instructions) {
        return too_large(cost, limits, "Not Enough Instruction Memory",
                         fmt::format("{} instructions", cost.instructions), limits.max_instructions,
                         "use native_ functions, do not unroll, or split the kernel");
    }
    if (limits.max_registers != 0 && cost.registers > limits.max_registers) {
        return too_large(cost, limits, "Not Enough Register Memory",
                         fmt::format("{} registers", cost.registers), limits.max_registers,
                         "use fewer or smaller private variables, or split the kernel");
    }
    return {};
}

}  // namespace glint::layer
