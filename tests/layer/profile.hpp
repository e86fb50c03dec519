// The device that is played: what it answers and what it refuses.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/layer/compiler/compiler.hpp"
#include "tests/layer/parameters.hpp"

namespace glint::layer {

class ProfileError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The limits that no query tells; [PROFILE.beyond] in the tables.
struct Beyond {
    uint64_t global_size_limit = 0;  ///< work-items per dimension, offset included; 0: none
    /// A kernel's limit is one of these, picked by its name and the seed.
    std::vector<uint64_t> work_group_limits;
    uint32_t instructions = 0;  ///< 0: no limit of use
    uint32_t registers = 0;     ///< of four components
    bool old_front_end = false;
    bool scalar_int = false;
    uint32_t float_width = 4;
};

struct Profile {
    std::string name;                        ///< "gc2000"
    std::map<cl_device_info, Bytes> device;  ///< answers, without CL_DEVICE_NAME
    std::map<cl_platform_info, Bytes> platform;
    std::vector<std::string> devices;  ///< CL_DEVICE_NAME of each
    uint64_t preferred_work_group_size_multiple = 1;
    Beyond beyond;

    [[nodiscard]] std::string text(cl_device_info parameter) const;
    /// Of any numeric type; 0 if the table does not have it.
    [[nodiscard]] uint64_t number(cl_device_info parameter) const;
    [[nodiscard]] std::vector<uint64_t> sizes(cl_device_info parameter) const;
    /// 110 for "OpenCL 1.1 ...".
    [[nodiscard]] unsigned version() const;
    [[nodiscard]] bool has_extension(std::string_view extension) const;
    [[nodiscard]] CompilerLimits compiler() const;
};

/// The names of the tables that are built in.
[[nodiscard]] std::vector<std::string> profile_names();

/// A name of a built-in table, or the path of a file: a table in the same form (FILE or
/// FILE:PROFILE), the output of `glintd --probe --json`, or that of `clinfo --raw`. Throws
/// ProfileError, which says what is wrong and what is allowed.
[[nodiscard]] Profile load_profile(const std::string& name);

/// The same from text; `origin` is for messages.
[[nodiscard]] Profile parse_profile(std::string_view text, const std::string& origin,
                                    const std::string& wanted);

}  // namespace glint::layer
