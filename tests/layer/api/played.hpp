// A device that the layer plays, and the shortest way to use it. Include before TestHarness.h.
#pragma once

#include <CL/cl.h>

#include <map>
#include <string>
#include <vector>

namespace glint::layer::test {

/// GLINT_LAYER_... without that prefix, and the value.
using Settings = std::map<std::string, std::string>;

/// This process' environment: the layer with these settings and no others. It is quiet unless told.
void play(const std::string& profile, const Settings& settings = {});
/// The driver below, without the layer.
void play_nothing();

/// One device of one process: its objects live as long as the process, which is the test's own.
class Played {
  public:
    explicit Played(const std::string& profile, const Settings& settings = {});

    cl_platform_id platform = nullptr;
    std::vector<cl_device_id> devices;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;

    [[nodiscard]] cl_device_id device() const { return devices.front(); }
    [[nodiscard]] std::string text(cl_device_info name) const;

    [[nodiscard]] cl_context new_context() const;
    [[nodiscard]] cl_command_queue new_queue(cl_context of) const;

    [[nodiscard]] cl_mem buffer(size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE,
                                void* host = nullptr) const;
    /// What clCreateBuffer answers.
    [[nodiscard]] cl_int buffer_code(size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE,
                                     void* host = nullptr) const;
    /// From the device to memory of the test's own.
    [[nodiscard]] std::vector<cl_uint> read(cl_mem from, size_t count) const;

    [[nodiscard]] cl_program program(const std::string& source) const;
    /// What clBuildProgram answers.
    [[nodiscard]] static cl_int build(cl_program program, const std::string& options = {});
    [[nodiscard]] std::string log(cl_program program) const;
    [[nodiscard]] cl_program built(const std::string& source) const;
    [[nodiscard]] cl_kernel kernel(const std::string& source, const char* name) const;
    /// What clCreateKernel answers.
    [[nodiscard]] static cl_int kernel_code(cl_program program, const char* name);

    template <typename T>
    static void set(cl_kernel kernel, cl_uint index, const T& value) {
        set_bytes(kernel, index, sizeof value, &value);
    }
    static void set_local(cl_kernel kernel, cl_uint index, size_t size) {
        set_bytes(kernel, index, size, nullptr);
    }
    [[nodiscard]] size_t work_group_limit(cl_kernel kernel) const;

    using Sizes = std::vector<size_t>;
    /// What clEnqueueNDRangeKernel answers; what was let in is waited for.
    [[nodiscard]] cl_int launch(cl_kernel kernel, const Sizes& global, const Sizes& local = {},
                                const Sizes& offset = {}) const;
    void finish() const;
    /// A blocking map; `code` is checked.
    [[nodiscard]] void* map(cl_mem mem, cl_map_flags flags, size_t offset, size_t size) const;
    void unmap(cl_mem mem, void* pointer) const;

  private:
    static void set_bytes(cl_kernel kernel, cl_uint index, size_t size, const void* value);
};

/// Of clGetMemObjectInfo.
template <typename T>
T ask_mem(cl_mem mem, cl_mem_info name) {
    T value{};
    return clGetMemObjectInfo(mem, name, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

}  // namespace glint::layer::test
