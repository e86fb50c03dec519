// What the layer knows of the program's objects. Handles are the driver's own.
#pragma once

#include <CL/cl_icd.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/layer/compiler/compiler.hpp"

namespace glint::layer {

struct ContextInfo {
    unsigned generation = 0;  ///< counts contexts; those below the layer's mark are lost
};

struct QueueInfo {
    unsigned generation = 0;  ///< of its context
};

/// One clEnqueueMapBuffer that was not undone yet.
struct MapInfo {
    void* pointer = nullptr;
    size_t offset = 0;
    size_t size = 0;
    cl_map_flags flags = 0;
    std::shared_ptr<std::byte[]> own;  ///< what `pointer` points to, if it is this map's alone
};

struct MemInfo {
    cl_mem_flags flags = 0;
    size_t size = 0;
    std::byte* host = nullptr;          ///< CL_MEM_USE_HOST_PTR's
    bool shadowed = false;              ///< the driver's buffer is another memory than `host`
    bool strict = false;                ///< maps hand out copies
    std::mutex mutex;                   ///< guards the four below
    std::shared_ptr<std::byte[]> home;  ///< strict: where maps lie, if the program gave no memory
    std::vector<MapInfo> maps;
    std::optional<bool> zero_copy;  ///< whether a map gave the program's own pointer
    bool unseen = false;  ///< a kernel has written to it, and nobody mapped or read it since
};

struct ProgramInfo {
    std::string source;  ///< empty for a binary
    std::mutex mutex;    ///< guards the two below
    CompilerVerdict verdict;
    bool refused = false;  ///< by the layer; the driver was not asked
};

struct KernelInfo {
    std::string name;
    uint64_t work_group_limit = 0;
    uint64_t own_local_bytes = 0;  ///< without those of its arguments
    std::set<cl_uint> constants;   ///< arguments in constant memory
    std::set<cl_uint> outputs;     ///< arguments in global memory that it may write to
    std::mutex mutex;              ///< guards the three below
    std::map<cl_uint, size_t> argument_bytes;
    std::map<cl_uint, cl_mem> buffers;
    std::map<cl_uint, size_t> local_bytes;
};

struct EventInfo {
    std::optional<cl_command_type> type;  ///< what the program asked for, if the driver did another
};

struct SamplerInfo {};

/// Handles of one kind with the program's own count of references. Thread-safe.
template <typename Handle, typename Info>
class Table {
  public:
    std::shared_ptr<Info> add(Handle handle) {
        const std::lock_guard lock(mutex_);
        Entry& entry = entries_[handle];
        if (entry.info == nullptr) entry = {std::make_shared<Info>(), 1};
        return entry.info;
    }
    /// Null for a handle that is not the program's.
    [[nodiscard]] std::shared_ptr<Info> find(Handle handle) const {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(handle);
        return found == entries_.end() ? nullptr : found->second.info;
    }
    void retain(Handle handle) {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(handle);
        if (found != entries_.end()) ++found->second.references;
    }
    /// Before the driver is told: it may give the address to another object at once.
    /// What was known of the object, if this was the last reference.
    std::shared_ptr<Info> release(Handle handle) {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(handle);
        if (found == entries_.end() || --found->second.references != 0) return nullptr;
        std::shared_ptr<Info> info = std::move(found->second.info);
        entries_.erase(found);
        return info;
    }
    [[nodiscard]] size_t size() const {
        const std::lock_guard lock(mutex_);
        return entries_.size();
    }
    template <typename Visit>
    void for_each(Visit visit) const {
        const std::lock_guard lock(mutex_);
        for (const auto& [handle, entry] : entries_) visit(*entry.info);
    }

  private:
    struct Entry {
        std::shared_ptr<Info> info;
        unsigned references = 0;
    };
    mutable std::mutex mutex_;
    std::unordered_map<Handle, Entry> entries_;
};

struct Objects {
    Table<cl_context, ContextInfo> contexts;
    Table<cl_command_queue, QueueInfo> queues;
    Table<cl_mem, MemInfo> mems;
    Table<cl_sampler, SamplerInfo> samplers;
    Table<cl_program, ProgramInfo> programs;
    Table<cl_kernel, KernelInfo> kernels;
    Table<cl_event, EventInfo> events;

    void created(cl_context handle) { contexts.add(handle); }
    void created(cl_command_queue handle) { queues.add(handle); }
    void created(cl_mem handle) { mems.add(handle); }
    void created(cl_sampler handle) { samplers.add(handle); }
    void created(cl_program handle) { programs.add(handle); }
    void created(cl_kernel handle) { kernels.add(handle); }
    void created(cl_event handle) { events.add(handle); }
};

}  // namespace glint::layer
