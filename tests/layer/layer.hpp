// The layer as a whole: what is played, what is known, and the driver below.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/layer/account.hpp"
#include "tests/layer/faults.hpp"
#include "tests/layer/functions.hpp"
#include "tests/layer/objects.hpp"
#include "tests/layer/profile.hpp"

namespace glint::layer {

/// What becomes of a program's own memory: GLINT_LAYER_MEMORY.
enum class MemoryMode {
    pass,         ///< used as it is
    shadow,       ///< a shadow copy unless address and size are multiples of 64; as the driver does
    shadow_all,   ///< always a shadow copy
    not_aligned,  ///< CL_NOT_ALIGNED unless address and size are multiples of 64
    strict,       ///< always a shadow copy, and what is not mapped is made wrong
};
[[nodiscard]] const char* name_of(MemoryMode mode);

/// Read from the environment. Throws std::runtime_error with the variable, its value and what is
/// allowed.
struct Options {
    std::string profile = "gc2000";
    MemoryMode memory = MemoryMode::shadow;
    bool low_pages_only = false;
    bool quiet = false;
    uint64_t seed = 0;
    std::string report;  ///< path; "%p" is the process id

    [[nodiscard]] static Options from_environment();
};

class Layer {
  public:
    Layer(const cl_icd_dispatch& below, Options given);

    const cl_icd_dispatch target;
    const Options options;
    const Profile profile;
    const unsigned version;  ///< of the played device, 110 for OpenCL 1.1
    Faults faults;
    Account account;
    Objects objects;
    std::vector<cl_device_id> devices;  ///< set when first asked for; then never changed

    /// Before any call goes on: counts it, refuses what the device's version does not have, and
    /// plays faults that need to know nothing more. CL_SUCCESS lets it pass.
    [[nodiscard]] cl_int before(Function function);
    [[nodiscard]] cl_int play(const Fault& fault, Function function);
    /// Notes why and hands the code back.
    cl_int refuse(Function function, cl_int code, const std::string& sentence);

    void lose_contexts() noexcept { lost_below_ = next_generation_.load(); }
    [[nodiscard]] unsigned new_generation() noexcept { return next_generation_++; }
    [[nodiscard]] bool lost(cl_context context) const;
    [[nodiscard]] bool lost(cl_command_queue queue) const;

    /// A program that reads its own memory without a map cannot be seen; that it never asked for a
    /// kernel's results can.
    void note_unseen(MemInfo& mem);
    /// The program has asked for what is in it.
    void seen(cl_mem mem) const;
    /// What there is to say when the process ends.
    void finish();
    void write_report() const;

  private:
    std::atomic<unsigned> next_generation_{0};
    std::atomic<unsigned> lost_below_{0};
};

/// Lives until the process ends: drivers' threads may call late.
[[nodiscard]] Layer& layer();
[[nodiscard]] inline const cl_icd_dispatch& target() {
    return layer().target;
}

/// The table that the loader gets.
[[nodiscard]] const cl_icd_dispatch& make_table(const cl_icd_dispatch& below);

}  // namespace glint::layer
