#include "tools/tune/catalogue_table.hpp"

#include <fmt/format.h>

#include <vector>

#include "kernels/catalogue.hpp"

namespace glint::tune {
namespace {

using kernels::Needs;

struct Flag {
    bool Needs::*member;
    const char* text;
};
constexpr Flag flags[] = {
    {&Needs::full_profile, "full profile"},
    {&Needs::local_atomics, "local atomics"},
    {&Needs::global_atomics, "global atomics"},
    {&Needs::image, "images"},
    {&Needs::real_local_memory, "by default real local memory"},
    {&Needs::cpu_device, "by default a CPU"},
    {&Needs::gpu_device, "by default a GPU"},
    {&Needs::binomial_only, "a binomial filter"},
    {&Needs::separable_only, "a sum of two outer products"},
    {&Needs::sums_in_16_bits, "sums of 16 bits"},
    {&Needs::sums_exact_in_float, "sums below 2^24"},
    {&Needs::narrow_row_sums, "row sums of 16 bits"},
};

std::string needs_text(const kernels::Variant& variant) {
    std::vector<std::string> parts;
    for (const Flag& flag : flags) {
        if (variant.needs.*flag.member) parts.emplace_back(flag.text);
    }
    if (const uint32_t bytes = variant.needs.local_bytes_per_copy; bytes != 0) {
        parts.push_back(fmt::format("{} bytes of local memory", bytes));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string tunables_text(const kernels::Variant& variant) {
    std::vector<std::string> parts;
    for (const kernels::Tunable& tunable : variant.tunables) {
        std::string part = fmt::format("{} {}", tunable.name, tunable.value);
        if (tunable.cpu_value != 0) part += fmt::format(" (CPU {})", tunable.cpu_value);
        parts.push_back(std::move(part));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// What filters it takes, of operators that have one.
std::string sizes_text(const kernels::Variant& variant) {
    if (variant.needs.any_size) return "3x3 to 31x31";
    for (const kernels::Operator op :
         {kernels::Operator::convolution, kernels::Operator::convolution_float,
          kernels::Operator::filtered_histogram}) {
        if (variant.op == op) return "3x3, 5x5";
    }
    return "";
}

}  // namespace

std::string catalogue_table() {
    std::string table =
        "| operator | set | variant | filters | needs | tunables | baseline | what it does |\n"
        "|---|---|---|---|---|---|---|---|\n";
    for (const kernels::Variant& variant : kernels::catalogue()) {
        table += fmt::format(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n", kernels::name_of(variant.op),
            kernels::name_of(variant.set), variant.name, sizes_text(variant), needs_text(variant),
            tunables_text(variant), variant.baseline ? "yes" : "", variant.summary);
    }
    return table;
}

}  // namespace glint::tune
