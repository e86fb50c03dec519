// Brings the GPU up, watches it, and decides what serves after a fault.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/gpu/refusal.hpp"
#include "daemon/gpu_history.hpp"
#include "daemon/loop.hpp"
#include "daemon/node_gate.hpp"
#include "daemon/worker.hpp"

namespace glint {

namespace gpu {
class Completion;
struct Runtime;
struct RuntimeRequest;
}  // namespace gpu

/// The device in use, for people.
struct GpuDevice {
    std::string name;  ///< empty while the CPU serves
    std::string driver;
    std::string profile = "none";
};

/// The rules after a fault (see docs/architecture.md):
///   a call failed      rebuild the context at once; again within ten minutes: the CPU, and another
///                      try after 1, 2, 4 ... minutes, at most an hour
///   a wrong result     the variant's known-answer test again; failed, or the third time within ten
///                      minutes: never again in this process
///   no completion      write it to the history file and _exit(1) without another OpenCL call;
///                      after two such ends in a row the CPU serves until RetryGpu() or a reboot
class GpuOwner {
  public:
    /// `node_gate`: what OpenCL's driver must be able to open before OpenCL is asked for it.
    /// `changed`: the cameras must be told of runtime(), the bus of the properties.
    GpuOwner(Loop& loop, Worker& builder, gpu::Completion& completion, NodeGate& node_gate,
             const GpuConfig& config, GpuHistory history, std::function<void()> changed);

    /// Begins to bring the GPU up, unless the configuration or the history says no.
    void start();
    void call_failed(const std::string& why);
    void result_suspect(const std::string& op, const std::string& variant);
    /// Adds to refused() what is new, once it has been tried.
    void variants_refused(const std::vector<gpu::Refusal>& refused);
    /// RetryGpu(). Throws Failure when the configuration says kernels = "cpu".
    void retry();
    /// Another configuration; does nothing when it says the same.
    void configure(const GpuConfig& config);
    /// The service stops in good order: that is no failure.
    void stopped() noexcept { history_.record_clean_stop(); }

    /// Null while the CPU serves.
    [[nodiscard]] const std::shared_ptr<const gpu::Runtime>& runtime() const { return runtime_; }
    [[nodiscard]] GpuDevice device() const;
    [[nodiscard]] bool degraded() const noexcept { return degraded_; }
    /// Why the CPU serves, also when that is as it should be.
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
    [[nodiscard]] const std::vector<gpu::Refusal>& refused() const noexcept { return refused_; }
    [[nodiscard]] bool building() const noexcept { return building_; }

  private:
    void build();
    /// `missing`: why there is no runtime.
    void built(std::shared_ptr<const gpu::Runtime> runtime, const std::string& missing);
    void serve_on_cpu(const std::string& why, bool degraded);
    void retry_later();
    void rechecked(const std::shared_ptr<const gpu::Runtime>& suspect, const std::string& name,
                   const std::string& wrong);
    void check_stall();
    [[nodiscard]] gpu::RuntimeRequest request() const;

    Worker& builder_;
    gpu::Completion& completion_;
    NodeGate& node_gate_;
    GpuConfig config_;
    GpuHistory history_;
    std::function<void()> changed_;
    Timer retry_timer_;
    Timer stall_timer_;
    Timer healthy_timer_;
    std::shared_ptr<const gpu::Runtime> runtime_;
    std::vector<gpu::Refusal> refused_;
    std::set<std::string, std::less<>> excluded_;
    bool building_ = false;
    bool degraded_ = false;
    std::string reason_;
    uint32_t faults_ = 0;      ///< failed calls since the GPU was last healthy for ten minutes
    uint32_t suspicions_ = 0;  ///< wrong results, likewise
};

}  // namespace glint
