#include "daemon/gpu/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace glint::gpu {

using kernels::Operator;
using kernels::Variant;

namespace {

constexpr uint32_t any_size = 0;

bool takes_every_filter(const kernels::Needs& needs) {
    return !needs.binomial_only && !needs.sums_exact_in_float && !needs.sums_in_16_bits &&
           !needs.separable_only;
}

}  // namespace

Selection::Selection(const Context& context, const RuntimeRequest& request)
    : context_(context), request_(request), cache_(request.cache_folder) {}

Selection::Selection(const Runtime& runtime, FrameSize size)
    : context_(runtime.context),
      request_(runtime.request),
      runtime_(&runtime),
      size_(size),
      refused_(runtime.refused),
      cache_(runtime.request.cache_folder) {}

Choices Selection::choose() {
    Choices choices{.histogram = choose(Operator::histogram),
                    .sharpness = choose(Operator::sharpness),
                    .sobel = choose(Operator::sobel),
                    .convolutions = {}};
    choose_convolutions(choices.convolutions);
    return choices;
}

Choice Selection::choose_of_floats(uint32_t filter_size) {
    if (filter_size > largest_built_size) {
        return {nullptr, "fallback",
                fmt::format("the OpenCL variants take float filters of 3x3 to {0}x{0}, this is "
                            "{1}x{1}",
                            largest_built_size, filter_size)};
    }
    return choose(Operator::convolution_float, filter_size);
}

Choice Selection::choose(Operator op, uint32_t filter_size) {
    look_up(op, filter_size);
    for (const Variant* variant : ladder(op)) {
        Choice choice = attempt(*variant, filter_size);
        if (choice.built != nullptr) return choice;
    }
    if (pinned(op) == "cpu") return {nullptr, "default", "set in the configuration"};
    return {nullptr, "fallback", "no OpenCL variant passed on this device"};
}

/// For 3x3 and 5x5, then for any size; a pinned variant that takes any size serves them all.
void Selection::choose_convolutions(std::vector<Choice>& result) {
    std::array sizes{3U, 5U, any_size};
    const Variant* first = kernels::find(Operator::convolution, pinned(Operator::convolution));
    if (first != nullptr && first->needs.any_size) std::ranges::reverse(sizes);
    for (const uint32_t size : sizes) choose_convolutions(size, result);
}

/// Specialised variants before general ones, or the faster before the slower, down to one that
/// takes every filter.
void Selection::choose_convolutions(uint32_t size, std::vector<Choice>& result) {
    look_up(Operator::convolution, size);
    for (const Variant* variant : ladder(Operator::convolution)) {
        const kernels::Needs& needs = variant->needs;
        if (needs.any_size != (size == any_size)) continue;
        Choice choice = attempt(*variant, size);
        if (choice.built == nullptr) continue;
        result.push_back(std::move(choice));
        if (takes_every_filter(needs)) return;
    }
}

/// Only what may serve competes: what would be refused anyway must not take another's place.
void Selection::look_up(Operator op, uint32_t filter_size) {
    measured_.clear();
    if (runtime_ == nullptr) return;
    const DeviceTraits& traits = context_.device.traits;
    measured_ = find_measured(runtime_->tuning, {.device = traits.name,
                                                 .driver = traits.driver_version,
                                                 .size = size_,
                                                 .op = op,
                                                 .filter_size = filter_size,
                                                 .variant = {}});
    std::erase_if(measured_, [&](const Measured& one) {
        const Variant& variant = *kernels::find(op, one.variant);
        const bool allowed = !variant.baseline && !variant.float_samples &&
                             (!request_.only || *request_.only == variant.set);
        return is_excluded(variant) || !why_illegal(variant.needs, traits).empty() ||
               (!allowed && variant.name != pinned(op));
    });
}

bool Selection::is_excluded(const Variant& variant) const {
    return request_.excluded.contains(
        fmt::format("{}/{}", kernels::name_of(variant.op), variant.name));
}

/// The pinned variant leads whatever the times say.
std::vector<const Variant*> Selection::ladder(Operator op) const {
    std::vector<const Variant*> result = default_ladder(op);
    if (!pinned(op).empty() || measured_.empty()) return result;
    return order_by_time(result, op, measured_);
}

std::string Selection::pinned(Operator op) const {
    const auto found = request_.pinned.find(std::string(kernels::name_of(op)));
    return found == request_.pinned.end() ? std::string() : found->second;
}

/// The pinned variant, then what is made for a CPU if this is one, then fp before ep.
std::vector<const Variant*> Selection::default_ladder(Operator op) const {
    const std::string first = pinned(op);
    if (first == "cpu") return {};
    std::vector<const Variant*> result;
    for (const Variant& variant : kernels::catalogue()) {
        const bool by_name = variant.name == first;
        if (variant.op == op && (by_name || by_default(variant))) result.push_back(&variant);
    }
    std::ranges::stable_sort(result, {}, [&](const Variant* variant) {
        if (variant->name == first) return 0;
        if (variant->needs.cpu_device) return 1;
        return variant->set == kernels::Set::fp ? 2 : 3;
    });
    return result;
}

bool Selection::by_default(const Variant& variant) const {
    const DeviceTraits& traits = context_.device.traits;
    if (variant.baseline || variant.float_samples) return false;
    if (request_.only && *request_.only != variant.set) return false;
    if (variant.set == kernels::Set::fp && !traits.full_profile()) return false;
    if (traits.is_cpu() ? variant.needs.gpu_device : variant.needs.cpu_device) return false;
    // Emulated local memory is slower than none; such variants must be asked for, or measured.
    return !variant.needs.real_local_memory || request_.only || traits.real_local_memory;
}

Choice Selection::attempt(const Variant& variant, uint32_t filter_size) {
    const auto measured = std::ranges::find(measured_, variant.name, &Measured::variant);
    if (measured != measured_.end()) return with_measured_values(*measured, variant, filter_size);
    if (runtime_ != nullptr && is_refused(variant)) return {};
    std::string wrong;
    auto built = build(variant, filter_size, {}, wrong);
    if (built == nullptr) {
        refuse(variant, wrong);
        return {};
    }
    return {std::move(built), any_refused(variant.op) ? "fallback" : "default", why(variant)};
}

/// With its default values when those of the file do not pass any more.
Choice Selection::with_measured_values(const Measured& measured, const Variant& variant,
                                       uint32_t filter_size) {
    std::string wrong;
    auto built = build(variant, filter_size, measured.figures->tunables, wrong);
    if (built == nullptr) {
        const std::string first = std::move(wrong);
        built = build(variant, filter_size, {}, wrong);
        if (built == nullptr) refuse(variant, wrong);
        return {std::move(built), "fallback",
                fmt::format("with the default values, for those in {} failed: {}",
                            measured.figures->file, first)};
    }
    if (pinned(variant.op).empty() && cpu_is_faster(*measured.figures))
        return {std::move(built), "measured", cpu_reason(measured, size_), true};
    return {std::move(built), "tuned", tuned_reason(measured, size_)};
}

/// Null with the reason when the variant may not run, is not built or computes something else. No
/// values: the default ones.
std::shared_ptr<const BuiltVariant> Selection::build(const Variant& variant, uint32_t filter_size,
                                                     const TunableValues& values,
                                                     std::string& wrong) {
    if (auto before = built_before(variant, filter_size, values)) return before;
    wrong = why_illegal(variant.needs, context_.device.traits);
    if (is_excluded(variant)) wrong = "gave a wrong result while in service";
    if (!wrong.empty()) return nullptr;
    try {
        auto built = build_variant(context_, cache_, variant, filter_size, values);
        wrong = recheck(context_, built);
        if (wrong.empty()) return built;
    } catch (const std::runtime_error& error) {
        wrong = error.what();
    }
    return nullptr;
}

/// What serves by default has passed already.
std::shared_ptr<const BuiltVariant> Selection::built_before(const Variant& variant,
                                                            uint32_t filter_size,
                                                            const TunableValues& values) const {
    if (runtime_ == nullptr) return nullptr;
    std::vector<Choice> before = runtime_->by_default.convolutions;
    before.push_back(runtime_->by_default.histogram);
    for (const Choice& choice : before) {
        if (choice.built == nullptr || choice.built->variant != &variant) continue;
        if (choice.built->filter_size != filter_size) continue;
        if (values.empty() || choice.built->tunables == values) return choice.built;
    }
    return nullptr;
}

void Selection::refuse(const Variant& variant, const std::string& reason) {
    if (is_refused(variant)) return;
    refused_.push_back(
        {std::string(kernels::name_of(variant.op)), std::string(variant.name), reason});
}

bool Selection::is_refused(const Variant& variant) const {
    return std::ranges::any_of(refused_, [&](const Refusal& refusal) {
        return refusal.op == kernels::name_of(variant.op) && refusal.variant == variant.name;
    });
}

bool Selection::any_refused(Operator op) const {
    return std::ranges::find(refused_, kernels::name_of(op), &Refusal::op) != refused_.end();
}

std::string Selection::why(const Variant& variant) const {
    if (variant.name == pinned(variant.op)) return "set in the configuration";
    return fmt::format("{} of the {} set that passed its known-answer test",
                       any_refused(variant.op) ? "next" : "first", kernels::name_of(variant.set));
}

}  // namespace glint::gpu
