// Building OpenCL programs, and not building them twice.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/gpu/device.hpp"

namespace glint::gpu {

/// The build failed: the compiler's log is in the text.
class BuildError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Binaries of built programs, one file each, named by a hash of the key. The key holds all that a
/// binary depends on: device, driver, platform, source and options. A file that is damaged, of
/// another key or refused by the driver is removed and made anew. Never throws: a cache that cannot
/// be written only costs time.
class BinaryCache {
  public:
    /// An empty folder name switches the cache off.
    explicit BinaryCache(std::filesystem::path folder);

    [[nodiscard]] std::vector<unsigned char> load(const std::string& key) const noexcept;
    void store(const std::string& key, std::span<const unsigned char> binary) noexcept;
    void drop(const std::string& key) const noexcept;
    /// Why the last store() failed, with the path; empty if it did not.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  private:
    [[nodiscard]] std::filesystem::path file_for(const std::string& key) const;

    std::filesystem::path folder_;
    std::string problem_;
};

struct BuiltProgram {
    ProgramHandle program;
    std::vector<KernelHandle> kernels;  ///< in the order of the names asked for
    bool from_cache = false;
};

/// Builds `source` and creates the named kernels, from the cache when it can. Blocking: seconds to
/// minutes on a board. Throws BuildError with the log, or ClError (-5 from clCreateKernel means
/// that the kernel is too large for the device).
[[nodiscard]] BuiltProgram build_program(const Context& context, BinaryCache& cache,
                                         std::string_view source, const std::string& options,
                                         std::span<const char* const> kernel_names);

/// CL_KERNEL_WORK_GROUP_SIZE: on small GPUs far below what the device itself claims.
[[nodiscard]] size_t max_work_group(cl_kernel kernel, cl_device_id device);

}  // namespace glint::gpu
