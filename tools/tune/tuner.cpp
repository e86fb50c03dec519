#include "tools/tune/tuner.hpp"

#include <CL/cl_ext.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "daemon/gpu/runtime.hpp"
#include "tools/tune/stop.hpp"

namespace glint::tune {
namespace {

/// The first launch of a build may compile, and the second still finds cold caches.
constexpr int warm_up_runs = 2;

/// An empty list has everything.
template <typename T>
bool is_in(const std::vector<T>& list, const T& value) {
    return list.empty() || std::ranges::find(list, value) != list.end();
}

bool is_wanted(const kernels::Variant& variant, const Wanted& wanted) {
    const bool named = !wanted.variants.empty();
    if (wanted.operators.empty() && !named && !is_served(variant)) return false;
    // Never chosen by the service; still, somebody may want to see one.
    if (variant.baseline && !named) return false;
    return is_in(wanted.operators, variant.op) && is_in(wanted.variants, std::string(variant.name));
}

/// Of the filters that the variant is measured with.
std::vector<uint32_t> filter_sizes_of(const kernels::Variant& variant, const Wanted& wanted) {
    std::vector<uint32_t> sizes;
    for (const tools::Task& task : tools::tasks()) {
        if (!tools::takes(variant, task) || std::ranges::count(sizes, task.filter_size) != 0)
            continue;
        const bool for_any = std::ranges::count(any_filter_sizes, task.filter_size) != 0;
        if (variant.needs.any_size != for_any) continue;
        const bool by_default = !for_any || task.filter_size == default_any_filter_size;
        const bool asked =
            wanted.filter_sizes.empty() ? by_default : is_in(wanted.filter_sizes, task.filter_size);
        if (asked || task.filter_size == 0) sizes.push_back(task.filter_size);
    }
    return sizes;
}

const tools::Task& task_of(const Job& job) {
    return *tools::hardest_task(*kernels::find(job.key.op, job.key.variant), job.filter_size);
}

Space space_of(const gpu::TuningKey& key, TunableValues defaults, Limits limits) {
    const kernels::Variant* variant = kernels::find(key.op, key.variant);
    return {.defaults = std::move(defaults),
            .coordinates = coordinates_of(*variant),
            .allowed = [variant, size = key.size, limits = std::move(limits)](const auto& values) {
                return why_left_out(*variant, values, size, limits).empty();
            }};
}

Limits limits_of(const gpu::DeviceTraits& traits) {
    return {.cpu = traits.is_cpu(),
            .compute_units = traits.compute_units,
            .local_bytes = traits.local_bytes,
            .work_item = {traits.max_work_item[0], traits.max_work_item[1]},
            .kernels = {}};
}

/// Lanes that work in step, where a vendor's extension tells; else 1.
size_t wavefront_of(cl_device_id device) {
    cl_uint width = 0;
    constexpr cl_device_info questions[] = {CL_DEVICE_WARP_SIZE_NV, CL_DEVICE_WAVEFRONT_WIDTH_AMD};
    for (const cl_device_info what : questions) {
        const bool known =
            clGetDeviceInfo(device, what, sizeof width, &width, nullptr) == CL_SUCCESS;
        if (known && width > 0) return width;
    }
    return 1;
}

size_t preferred_multiple(cl_kernel kernel, cl_device_id device) {
    size_t multiple = 1;
    gpu::check(
        clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                 sizeof multiple, &multiple, nullptr),
        "clGetKernelWorkGroupInfo");
    return std::max<size_t>(multiple, 1);
}

}  // namespace

bool is_served(const kernels::Variant& variant) {
    using kernels::Operator;
    const Operator op = variant.op;
    return op == Operator::histogram || op == Operator::convolution || op == Operator::sobel ||
           op == Operator::sharpness ||
           (op == Operator::convolution_float && !variant.float_samples);
}

std::vector<Job> jobs_for(const gpu::DeviceTraits& traits, const Wanted& wanted) {
    std::vector<Job> jobs;
    for (const FrameSize size : wanted.sizes) {
        for (const kernels::Variant& variant : kernels::catalogue()) {
            if (!is_wanted(variant, wanted) || !gpu::why_illegal(variant.needs, traits).empty()) {
                continue;
            }
            for (const uint32_t filter_size : filter_sizes_of(variant, wanted)) {
                jobs.push_back({.key = {.device = traits.name,
                                        .driver = traits.driver_version,
                                        .size = size,
                                        .op = variant.op,
                                        .filter_size = variant.needs.any_size ? 0 : filter_size,
                                        .variant = std::string(variant.name)},
                                .filter_size = filter_size,
                                .defaults = {},
                                .trials = {},
                                .result = std::nullopt,
                                .refused = {}});
            }
        }
    }
    return jobs;
}

Space first_space(const gpu::DeviceTraits& traits, const gpu::TuningKey& key) {
    Limits limits = limits_of(traits);
    limits.kernels = {{.work_group = static_cast<size_t>(traits.max_work_group), .multiple = 1}};
    TunableValues defaults;
    for (const kernels::Tunable& tunable : kernels::find(key.op, key.variant)->tunables)
        defaults.emplace(tunable.name, tunable.value);
    return space_of(key, std::move(defaults), std::move(limits));
}

Tuner::Tuner(const gpu::Context& context, gpu::BinaryCache& cache, Progress& progress, size_t runs)
    : context_(context),
      cache_(cache),
      progress_(progress),
      runs_(runs),
      queue_(context.make_queue(true)) {}

/// Builds, puts to the known-answer test, and compares on the frame that is measured. What goes
/// wrong puts the candidate out, not the program.
Tuner::Runner Tuner::prepare(const Job& job, const TunableValues& values,
                             tools::Workload& workload) {
    Runner runner{.values = values, .launch = {}, .device_ms = {}, .wrong = {}};
    try {
        const kernels::Variant& variant = *kernels::find(job.key.op, job.key.variant);
        const auto built =
            gpu::build_variant(context_, cache_, variant, job.key.filter_size, values);
        runner.values = built->tunables;
        if (!values.empty() && runner.values != values) {
            runner.values = values;
            runner.wrong = "the device runs no work-groups that large with these values";
            return runner;
        }
        runner.wrong = gpu::recheck(context_, built);
        if (!runner.wrong.empty()) return runner;
        runner.launch = workload.launch(built);
        runner.wrong = workload.wrong_result(runner.launch);
    } catch (const std::runtime_error& error) {
        runner.wrong = error.what();
    }
    return runner;
}

Limits Tuner::ask_limits(const gpu::BuiltVariant& built) const {
    const cl_device_id device = context_.device.id;
    Limits limits = limits_of(context_.device.traits);
    for (const char* name : gpu::kernel_names(*built.variant)) {
        const gpu::KernelHandle kernel = built.make_kernel(name);
        limits.kernels.push_back(
            {.work_group = gpu::max_work_group(kernel.get(), device),
             .multiple = std::lcm(preferred_multiple(kernel.get(), device), wavefront_of(device))});
    }
    // Both passes of a filter are launched with the same work-groups.
    if (built.variant->two_passes) {
        const KernelLimits& second = limits.kernels.back();
        KernelLimits& both = limits.kernels.front();
        both = {.work_group = std::min(both.work_group, second.work_group),
                .multiple = std::lcm(both.multiple, second.multiple)};
    }
    return limits;
}

void Tuner::run_in_turn(tools::Workload& workload, const std::vector<Runner*>& runners) const {
    for (Runner* runner : runners) {
        for (int run = 0; run < warm_up_runs; ++run) (void)workload.device_ms(runner->launch);
        runner->device_ms.clear();
    }
    for (size_t run = 0; run < runs_; ++run) {
        for (Runner* runner : runners) {
            if (stop_signal() != 0) return;
            runner->device_ms.push_back(workload.device_ms(runner->launch));
        }
    }
}

/// Nothing when it was stopped: a candidate that has run once or twice says little.
std::vector<Trial> Tuner::measure(const Job& job, const std::vector<TunableValues>& candidates,
                                  tools::Workload& workload, Runner& by_default) {
    std::vector<Runner> runners;
    for (const TunableValues& values : candidates) {
        if (stop_signal() != 0) return {};
        progress_.show(title_of(job));
        runners.push_back(prepare(job, values, workload));
        progress_.estimate().candidate_done();
    }
    std::vector<Runner*> in_turn{&by_default};
    for (Runner& runner : runners) {
        if (runner.wrong.empty()) in_turn.push_back(&runner);
    }
    run_in_turn(workload, in_turn);
    if (stop_signal() != 0) return {};
    const double default_ms = sample_of(by_default.device_ms).median;
    std::vector<Trial> trials;
    for (const Runner& runner : runners) {
        const double ms = runner.wrong.empty() ? sample_of(runner.device_ms).median : 0;
        trials.push_back({runner.values, ms, default_ms, runner.wrong});
    }
    return trials;
}

/// The best of many was also the luckiest, so it meets the default once more on equal terms.
std::optional<gpu::TunedVariant> Tuner::decide(const Job& job, tools::Workload& workload,
                                               Runner& by_default) {
    const Trial* best = best_of(job.trials);
    Runner other = prepare(job, best == nullptr ? job.defaults : best->values, workload);
    const bool comparable = other.wrong.empty() && other.values != job.defaults;
    run_in_turn(workload, comparable ? std::vector{&by_default, &other} : std::vector{&by_default});
    if (stop_signal() != 0) return std::nullopt;
    const Sample base = sample_of(by_default.device_ms);
    const bool better = comparable && clearly_better(sample_of(other.device_ms), base);
    const Runner& chosen = better ? other : by_default;
    std::vector<double> wall_ms;
    std::vector<double> cpu_ms;
    for (size_t run = 0; run < runs_ + warm_up_runs; ++run) {
        if (stop_signal() != 0) return std::nullopt;
        const double wall = workload.wall_ms(chosen.launch);
        const double cpu = workload.cpu_ms();
        if (run < warm_up_runs) continue;
        wall_ms.push_back(wall);
        cpu_ms.push_back(cpu);
    }
    return gpu::TunedVariant{.tunables = better ? other.values : job.defaults,
                             .ms = sample_of(chosen.device_ms).median,
                             .default_ms = base.median,
                             .wall_ms = sample_of(std::move(wall_ms)).median,
                             .cpu_ms = sample_of(std::move(cpu_ms)).median,
                             .file = {}};
}

void Tuner::run(Job& job, size_t index, const std::function<void()>& measured) {
    progress_.show(title_of(job));
    const kernels::Variant& variant = *kernels::find(job.key.op, job.key.variant);
    tools::Workload workload(context_, queue_.get(), task_of(job), job.key.size);
    Runner by_default = prepare(job, {}, workload);
    if (!by_default.wrong.empty()) {
        job.refused = by_default.wrong;
        progress_.estimate().job_done(index);
        return;
    }
    job.defaults = by_default.values;
    const auto built = gpu::build_variant(context_, cache_, variant, job.key.filter_size);
    const Space space = space_of(job.key, job.defaults, ask_limits(*built));
    progress_.estimate().expect(index, expected_trials(space));
    job.trials = search(space, job.trials, [&](const std::vector<TunableValues>& candidates) {
        std::vector<Trial> trials = measure(job, candidates, workload, by_default);
        job.trials.insert(job.trials.end(), trials.begin(), trials.end());
        measured();
        return trials;
    });
    if (stop_signal() == 0) job.result = decide(job, workload, by_default);
    progress_.estimate().job_done(index);
}

double Tuner::seconds_per_candidate(const Job& job) {
    const auto start = std::chrono::steady_clock::now();
    tools::Workload workload(context_, queue_.get(), task_of(job), job.key.size);
    Runner by_default = prepare(job, {}, workload);
    if (by_default.wrong.empty()) run_in_turn(workload, {&by_default});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace glint::tune
