#include "daemon/gpu/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "daemon/gpu/known_answer.hpp"
#include "kernels/kernel_sources.hpp"

namespace glint::gpu {
namespace {

using kernels::Operator;
using kernels::Variant;

bool takes_every_filter(const kernels::Needs& needs) {
    return !needs.binomial_only && !needs.sums_exact_in_float && !needs.sums_in_16_bits &&
           !needs.separable_only;
}

/// Walks the ladders and keeps what passes.
class Selection {
  public:
    Selection(Runtime& runtime, const RuntimeRequest& request)
        : runtime_(runtime), request_(request), cache_(request.cache_folder) {}

    void choose_histogram() {
        for (const Variant* variant : ladder(Operator::histogram)) {
            Choice choice = attempt(*variant, 0);
            if (choice.built == nullptr) continue;
            runtime_.histogram = std::move(choice);
            return;
        }
        runtime_.histogram = cpu_choice(Operator::histogram);
    }

    /// For 3x3 and 5x5, then for any size; a pinned variant that takes any size serves them all.
    void choose_convolutions() {
        std::array sizes{3U, 5U, any_size};
        const Variant* first = kernels::find(Operator::convolution, pinned(Operator::convolution));
        if (first != nullptr && first->needs.any_size) std::ranges::reverse(sizes);
        for (const uint32_t size : sizes) choose_convolutions(size);
    }

    void build_pattern() {
        constexpr std::array names{"pattern_write", "pattern_compare"};
        runtime_.pattern = std::make_shared<const BuiltProgram>(
            build_program(runtime_.context, cache_, kernels::ep_pattern, "-cl-std=CL1.1", names));
    }

    void finish() { runtime_.cache_problem = cache_.problem(); }

  private:
    static constexpr uint32_t any_size = 0;

    /// Specialised variants before general ones, down to one that takes every filter.
    void choose_convolutions(uint32_t size) {
        for (const Variant* variant : ladder(Operator::convolution)) {
            const kernels::Needs& needs = variant->needs;
            if (needs.any_size != (size == any_size)) continue;
            Choice choice = attempt(*variant, size);
            if (choice.built == nullptr) continue;
            runtime_.convolutions.push_back(std::move(choice));
            if (takes_every_filter(needs)) return;
        }
    }

    [[nodiscard]] std::string pinned(Operator op) const {
        const auto found = request_.pinned.find(std::string(kernels::name_of(op)));
        return found == request_.pinned.end() ? std::string() : found->second;
    }

    /// The pinned variant, then what is made for a CPU if this is one, then fp before ep.
    [[nodiscard]] std::vector<const Variant*> ladder(Operator op) const {
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

    [[nodiscard]] bool by_default(const Variant& variant) const {
        const DeviceTraits& traits = runtime_.context.device.traits;
        if (variant.baseline) return false;
        if (request_.only && *request_.only != variant.set) return false;
        if (variant.set == kernels::Set::fp && !traits.full_profile()) return false;
        if (variant.needs.cpu_device && !traits.is_cpu()) return false;
        // Emulated local memory is slower than none; such variants must be asked for.
        return !variant.needs.real_local_memory || request_.only || traits.real_local_memory;
    }

    Choice attempt(const Variant& variant, uint32_t filter_size) {
        const std::string op(kernels::name_of(variant.op));
        std::string reason = why_illegal(variant.needs, runtime_.context.device.traits);
        if (request_.excluded.contains(fmt::format("{}/{}", op, variant.name))) {
            reason = "gave a wrong result while in service";
        }
        std::shared_ptr<const BuiltVariant> built;
        if (reason.empty()) {
            try {
                built = build_variant(runtime_.context, cache_, variant, filter_size);
                reason = recheck(runtime_.context, built);
            } catch (const std::runtime_error& error) {
                reason = error.what();
            }
        }
        if (!reason.empty()) {
            refuse(op, variant, reason);
            return {};
        }
        return {built, any_refused(op) ? "fallback" : "default", why(variant)};
    }

    void refuse(const std::string& op, const Variant& variant, const std::string& reason) {
        const auto same = [&](const Refusal& refusal) {
            return refusal.op == op && refusal.variant == variant.name;
        };
        if (std::ranges::none_of(runtime_.refused, same)) {
            runtime_.refused.push_back({op, std::string(variant.name), reason});
        }
    }

    [[nodiscard]] bool any_refused(std::string_view op) const {
        return std::ranges::find(runtime_.refused, op, &Refusal::op) != runtime_.refused.end();
    }

    [[nodiscard]] std::string why(const Variant& variant) const {
        if (variant.name == pinned(variant.op)) return "set in the configuration";
        return fmt::format("{} of the {} set that passed its known-answer test",
                           any_refused(kernels::name_of(variant.op)) ? "next" : "first",
                           kernels::name_of(variant.set));
    }

    [[nodiscard]] Choice cpu_choice(Operator op) const {
        if (pinned(op) == "cpu") return {nullptr, "default", "set in the configuration"};
        return {nullptr, "fallback", "no OpenCL variant passed on this device"};
    }

    Runtime& runtime_;
    const RuntimeRequest& request_;
    BinaryCache cache_;
};

}  // namespace

std::shared_ptr<const BuiltVariant> Runtime::histogram_build(uint32_t bins) const {
    if (bins == histogram_bins) return histogram.built;
    BinaryCache cache(cache_folder);
    auto built = build_variant(context, cache, *histogram.built->variant, 0, {}, bins);
    if (const std::string wrong = recheck(context, built); !wrong.empty()) {
        throw BuildError(
            fmt::format("histogram {} with {} bins: {}", built->variant->name, bins, wrong));
    }
    return built;
}

const Choice* Runtime::convolution_for(const Filter& filter) const {
    const auto found = std::ranges::find_if(
        convolutions, [&](const Choice& choice) { return accepts(*choice.built, filter); });
    return found == convolutions.end() ? nullptr : &*found;
}

std::shared_ptr<const Runtime> bring_up(const RuntimeRequest& request) {
    auto device = choose_device(request.device_pattern);
    if (!device) return nullptr;
    auto runtime = std::make_shared<Runtime>(std::move(*device));
    runtime->cache_folder = request.cache_folder;
    Selection selection(*runtime, request);
    selection.build_pattern();
    selection.choose_histogram();
    selection.choose_convolutions();
    selection.finish();
    return runtime;
}

std::string recheck(const Runtime& runtime, const std::string& op, const std::string& variant) {
    std::vector<Choice> chosen = runtime.convolutions;
    chosen.push_back(runtime.histogram);
    for (const Choice& choice : chosen) {
        if (choice.built == nullptr) continue;
        const Variant& own = *choice.built->variant;
        if (kernels::name_of(own.op) != op || own.name != variant) continue;
        if (std::string wrong = recheck(runtime.context, choice.built); !wrong.empty())
            return wrong;
    }
    return {};
}

std::string recheck(const Context& context, const std::shared_ptr<const BuiltVariant>& built) {
    const QueueHandle queue = context.make_queue();
    if (built->variant->op == kernels::Operator::histogram) {
        HistogramLaunch launch(context, built);
        return check_histogram(context, queue.get(), launch);
    }
    if (built->variant->op == kernels::Operator::convolution_float) {
        FloatConvolutionLaunch launch(context, built);
        return check_float_convolution(context, queue.get(), launch);
    }
    ConvolutionLaunch launch(context, built);
    return check_convolution(context, queue.get(), launch);
}

}  // namespace glint::gpu
