#include "daemon/gpu_owner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "daemon/failure.hpp"
#include "daemon/gpu/completion.hpp"
#include "daemon/gpu/driver_cache.hpp"
#include "daemon/gpu/runtime.hpp"
#include "daemon/log.hpp"
#include "daemon/names.hpp"
#include "daemon/probe_system.hpp"

namespace glint {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// A compiler on a board takes up to a minute a kernel, and there are about ten.
constexpr seconds build_deadline{900};
/// udev needs milliseconds; a node that stays closed is said to be, with what to do.
constexpr seconds node_limit{5};
constexpr minutes healthy_after{10};
constexpr uint32_t max_suspicions = 3;

/// 1, 2, 4 ... minutes, at most an hour.
minutes back_off(uint32_t faults) {
    return std::min(minutes(1U << std::min(faults - 2, 6U)), minutes(60));
}

struct BroughtUp {
    std::shared_ptr<const gpu::Runtime> runtime;
    std::string missing;  ///< why there is none
};

void tell(const gpu::Refusal& refusal) {
    log::warning(
        fmt::format("{} variant {} is refused: {}", refusal.op, refusal.variant, refusal.reason),
        {{names::field_variant, refusal.variant}});
}

BroughtUp bring_gpu_up(const gpu::RuntimeRequest& request) {
    BroughtUp result{gpu::bring_up(request), {}};
    if (result.runtime != nullptr) return result;
    const std::string why = gpu::list_devices().empty() ? why_no_opencl() : "";
    result.missing = why.empty() ? "`glintd --probe` lists those there are" : why;
    return result;
}

}  // namespace

GpuOwner::GpuOwner(Loop& loop, Worker& builder, gpu::Completion& completion, NodeGate& node_gate,
                   const GpuConfig& config, GpuHistory history, std::function<void()> changed)
    : builder_(builder),
      completion_(completion),
      node_gate_(node_gate),
      config_(config),
      history_(std::move(history)),
      changed_(std::move(changed)),
      retry_timer_(loop, [this] { build(); }),
      stall_timer_(loop, [this] { check_stall(); }),
      healthy_timer_(loop, [this] {
          faults_ = 0;
          suspicions_ = 0;
          history_.record_healthy();
      }) {}

gpu::RuntimeRequest GpuOwner::request() const {
    gpu::RuntimeRequest request{.device_pattern = config_.device,
                                .only = std::nullopt,
                                .pinned = config_.variants,
                                .excluded = excluded_,
                                .cache_folder = config_.cache_dir,
                                .tuning_files = {names::shipped_tuning, config_.tuning_file}};
    if (config_.kernels == KernelSet::ep) request.only = kernels::Set::ep;
    if (config_.kernels == KernelSet::fp) request.only = kernels::Set::fp;
    return request;
}

GpuDevice GpuOwner::device() const {
    if (runtime_ == nullptr) return {};
    const gpu::DeviceTraits& traits = runtime_->context.device.traits;
    return {traits.name, traits.driver_version, traits.profile};
}

void GpuOwner::start() {
    if (config_.kernels == KernelSet::cpu) {
        return serve_on_cpu("the configuration says kernels = \"cpu\"", false);
    }
    if (history_.failures() >= max_gpu_failures) {
        return serve_on_cpu(
            fmt::format("the service ended {} times in a row while it used the GPU; "
                        "`glintctl retry-gpu` or a reboot tries again",
                        history_.failures()),
            true);
    }
    gpu::remove_leftovers(config_.cache_dir);
    reason_ = fmt::format("{} is not open to the service yet", names::gpu_node);
    node_gate_.pass(node_limit, [this] { build(); });
    if (!building_) changed_();
}

void GpuOwner::build() {
    if (building_) return;
    node_gate_.cancel();
    building_ = true;
    if (runtime_ == nullptr) {
        reason_ = "the GPU's kernels are being built and checked";
        changed_();
    }
    history_.record_use();
    builder_.post(
        build_deadline, [request = request()] { return bring_gpu_up(request); },
        [this, config = config_](Outcome<BroughtUp> outcome) {
            building_ = false;
            if (config != config_) return start();  // it was made for another one
            try {
                BroughtUp result = outcome.get();
                built(std::move(result.runtime), result.missing);
            } catch (const std::exception& error) {
                serve_on_cpu(fmt::format("the GPU could not be set up: {}", error.what()), true);
                ++faults_;
                retry_later();
            }
        });
}

void GpuOwner::built(std::shared_ptr<const gpu::Runtime> runtime, const std::string& missing) {
    if (runtime == nullptr) {
        const bool asked_for = config_.device != "*" || config_.kernels != KernelSet::automatic;
        return serve_on_cpu(
            fmt::format("no OpenCL device matches \"{}\": {}", config_.device, missing), asked_for);
    }
    for (const gpu::Refusal& refusal : runtime->refused) tell(refusal);
    if (!runtime->cache_problem.empty()) {
        log::warning(
            fmt::format("{}; kernels are built anew at every start", runtime->cache_problem));
    }
    for (const std::string& problem : runtime->tuning_problems) {
        log::warning(fmt::format("{}; without this tuning file the defaults serve", problem));
    }
    refused_ = runtime->refused;
    const gpu::Choice& histogram = runtime->by_default.histogram;
    if (histogram.built == nullptr) {
        const bool wanted = config_.variants.contains("histogram");
        serve_on_cpu(histogram.reason, !wanted);
        // On a device that has worked it is the device's fault, and that may pass.
        if (faults_ == 0) return;
        ++faults_;
        return retry_later();
    }
    runtime_ = std::move(runtime);
    degraded_ = false;
    reason_.clear();
    const gpu::DeviceTraits& traits = runtime_->context.device.traits;
    log::info(fmt::format("GPU {} ({}, {}, driver {}) is ready: histogram variant {}", traits.name,
                          traits.platform_name, traits.profile, traits.driver_version,
                          runtime_->by_default.histogram.built->variant->name));
    healthy_timer_.arm(healthy_after);
    check_stall();
    changed_();
}

void GpuOwner::serve_on_cpu(const std::string& why, bool degraded) {
    runtime_ = nullptr;
    degraded_ = degraded;
    reason_ = why;
    healthy_timer_.cancel();
    log::write(degraded ? log::Level::error : log::Level::notice,
               fmt::format("the CPU measures: {}", why));
    changed_();
}

void GpuOwner::call_failed(const std::string& why) {
    if (runtime_ == nullptr) return;  // another camera has said so already
    ++faults_;
    serve_on_cpu(why, true);
    retry_later();
}

void GpuOwner::retry_later() {
    if (faults_ <= 1) return build();
    const minutes delay = back_off(faults_);
    log::notice(fmt::format("the GPU is tried again in {} min", delay.count()));
    retry_timer_.arm(delay);
}

void GpuOwner::result_suspect(const std::string& op, const std::string& variant) {
    if (runtime_ == nullptr) return;
    const auto suspect = std::exchange(runtime_, nullptr);
    const std::string name = fmt::format("{}/{}", op, variant);
    ++suspicions_;
    serve_on_cpu(fmt::format("{} gave a wrong result and is being checked", name), true);
    builder_.post(
        build_deadline, [suspect, op, variant] { return suspect->recheck(op, variant); },
        [this, suspect, name, config = config_](Outcome<std::string> outcome) {
            if (config != config_) return;  // another runtime is being made
            try {
                rechecked(suspect, name, outcome.get());
            } catch (const std::exception& error) {
                serve_on_cpu(error.what(), true);
                ++faults_;
                retry_later();
            }
        });
}

void GpuOwner::variants_refused(const std::vector<gpu::Refusal>& refused) {
    const size_t before = refused_.size();
    for (const gpu::Refusal& refusal : refused) {
        if (std::ranges::find(refused_, refusal) != refused_.end()) continue;
        tell(refusal);
        refused_.push_back(refusal);
    }
    if (refused_.size() != before) changed_();
}

void GpuOwner::rechecked(const std::shared_ptr<const gpu::Runtime>& suspect,
                         const std::string& name, const std::string& wrong) {
    if (wrong.empty() && suspicions_ < max_suspicions) return built(suspect, "");
    log::error(fmt::format("{} is not used any more: {}", name,
                           wrong.empty() ? "too many wrong results" : wrong));
    excluded_.insert(name);
    build();
}

void GpuOwner::configure(const GpuConfig& config) {
    if (config == config_) return;
    config_ = config;
    faults_ = 0;
    suspicions_ = 0;
    excluded_.clear();
    retry_timer_.cancel();
    node_gate_.cancel();
    if (!building_) start();
}

void GpuOwner::retry() {
    if (config_.kernels == KernelSet::cpu) {
        throw Failure(names::error::gpu_unavailable,
                      "the configuration says kernels = \"cpu\" in [gpu]");
    }
    log::notice("the GPU is tried again on request");
    faults_ = 0;
    suspicions_ = 0;
    excluded_.clear();
    history_.record_healthy();
    retry_timer_.cancel();
    build();
}

/// Four times per time-out, as long as the GPU is in use.
void GpuOwner::check_stall() {
    if (completion_.find_missing_callbacks()) {
        log::warning("the driver does not call back when its work is done; it is asked instead");
    }
    const uint64_t limit_nsec = uint64_t{config_.stall_timeout_ms} * 1'000'000;
    if (completion_.oldest_age_nsec() > limit_nsec) {
        log::error(fmt::format("the GPU has not finished a frame for {} ms; the service restarts",
                               config_.stall_timeout_ms),
                   {{names::field_message_id, names::message::gpu_stalled}});
        history_.record_stall();
        // No destructor may run: each would call a driver that does not answer.
        ::_exit(names::exit_failure);
    }
    if (runtime_ != nullptr)
        stall_timer_.arm(std::chrono::milliseconds(config_.stall_timeout_ms / 4));
}

}  // namespace glint
