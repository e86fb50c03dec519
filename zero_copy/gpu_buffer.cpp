#include "zero_copy/gpu_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace glint::zero_copy {
namespace {

void check(cl_int code, const char* call) {
    if (code != CL_SUCCESS) throw GpuBufferError(call, code);
}

constexpr size_t compare_items = 64;

/// The same function as in kernels/ep/pattern.cl: Knuth's multiplicative hash (TAOCP 6.4), so that
/// neither zeros nor a repeated block can pass for it.
constexpr uint32_t pattern(uint32_t index, uint32_t seed) {
    return (index + seed) * 2654435761U;
}

/// Larger than the last-level caches of the boards in question (1 MiB on i.MX6 and i.MX8).
constexpr size_t eviction_bytes = size_t{8} << 20;

/// Pushes the memory's lines out of the CPU caches by reading and writing something larger.
/// User space has no portable way to clean a cache.
void evict_caches() {
    std::vector<uint8_t> other(eviction_bytes);
    for (size_t i = 0; i < other.size(); i += 32) {
        *const_cast<volatile uint8_t*>(&other[i]) = static_cast<uint8_t>(i);
    }
}

class Prover {
  public:
    Prover(GpuBuffer& buffer, const FrameMemory& memory, cl_context context, cl_command_queue queue,
           const PatternKernels& kernels)
        : buffer_(buffer),
          memory_(memory),
          queue_(queue),
          kernels_(kernels),
          words_(static_cast<uint32_t>(buffer.size() / 4)) {
        cl_int code = CL_SUCCESS;
        mismatches_ = clCreateBuffer(context, CL_MEM_READ_WRITE, compare_items * sizeof(cl_uint),
                                     nullptr, &code);
        check(code, "clCreateBuffer");
    }
    ~Prover() { clReleaseMemObject(mismatches_); }
    Prover(const Prover&) = delete;
    Prover& operator=(const Prover&) = delete;

    void host_writes(uint32_t seed) noexcept {
        const CpuAccess access(memory_, CpuAccess::Kind::write);
        for (uint32_t i = 0; i < words_; ++i) {
            const uint32_t word = pattern(i, seed);
            std::memcpy(buffer_.data() + size_t{i} * 4, &word, sizeof word);
        }
    }

    [[nodiscard]] uint32_t host_mismatches(uint32_t seed) const noexcept {
        const CpuAccess access(memory_);
        if (!access.granted()) return words_;
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < words_; ++i) {
            uint32_t word = 0;
            std::memcpy(&word, buffer_.data() + size_t{i} * 4, sizeof word);
            if (word != pattern(i, seed)) ++wrong;
        }
        return wrong;
    }

    void device_writes(uint32_t seed) {
        const cl_mem mem = buffer_.get();
        check(clSetKernelArg(kernels_.write, 0, sizeof mem, &mem), "clSetKernelArg");
        check(clSetKernelArg(kernels_.write, 1, sizeof words_, &words_), "clSetKernelArg");
        check(clSetKernelArg(kernels_.write, 2, sizeof seed, &seed), "clSetKernelArg");
        run(kernels_.write);
    }

    [[nodiscard]] uint32_t device_mismatches(uint32_t seed) {
        const cl_mem mem = buffer_.get();
        check(clSetKernelArg(kernels_.compare, 0, sizeof mem, &mem), "clSetKernelArg");
        check(clSetKernelArg(kernels_.compare, 1, sizeof words_, &words_), "clSetKernelArg");
        check(clSetKernelArg(kernels_.compare, 2, sizeof seed, &seed), "clSetKernelArg");
        check(clSetKernelArg(kernels_.compare, 3, sizeof mismatches_, &mismatches_),
              "clSetKernelArg");
        run(kernels_.compare);
        std::array<cl_uint, compare_items> counts{};
        check(clEnqueueReadBuffer(queue_, mismatches_, CL_TRUE, 0, sizeof counts, counts.data(), 0,
                                  nullptr, nullptr),
              "clEnqueueReadBuffer");
        uint32_t wrong = 0;
        for (const cl_uint count : counts) wrong += count;
        return wrong;
    }

    void map() {
        cl_event done = nullptr;
        check(buffer_.enqueue_map(queue_, CL_MAP_READ | CL_MAP_WRITE, &done), "clEnqueueMapBuffer");
        const cl_int code = clWaitForEvents(1, &done);
        clReleaseEvent(done);
        check(code, "clWaitForEvents");
    }
    void unmap() {
        check(buffer_.enqueue_unmap(queue_), "clEnqueueUnmapMemObject");
        check(clFinish(queue_), "clFinish");
    }
    [[nodiscard]] uint32_t words() const noexcept { return words_; }

  private:
    void run(cl_kernel kernel) {
        const size_t items = compare_items;
        check(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr,
                                     nullptr),
              "clEnqueueNDRangeKernel");
        check(clFinish(queue_), "clFinish");
    }

    GpuBuffer& buffer_;
    const FrameMemory& memory_;
    cl_command_queue queue_;
    const PatternKernels& kernels_;
    uint32_t words_;
    cl_mem mismatches_ = nullptr;
};

constexpr uint32_t seed_host = 0x1000;
constexpr uint32_t seed_device = 0x20000;
constexpr uint32_t seed_alias = 0x300000;
constexpr uint32_t seed_reverse = 0x4000000;

std::string check_correct(Prover& prover) {
    prover.map();
    prover.host_writes(seed_host);
    prover.unmap();
    if (const uint32_t wrong = prover.device_mismatches(seed_host); wrong != 0) {
        return fmt::format("the device read {} of {} words wrong after unmap", wrong,
                           prover.words());
    }
    prover.device_writes(seed_device);
    prover.map();
    if (const uint32_t wrong = prover.host_mismatches(seed_device); wrong != 0) {
        return fmt::format("the CPU read {} of {} words wrong after map", wrong, prover.words());
    }
    return {};
}

void check_aliased(Prover& prover, TransportProof& proof) {
    prover.unmap();
    evict_caches();
    prover.device_writes(seed_alias);
    const uint32_t unseen = prover.host_mismatches(seed_alias);
    prover.map();
    prover.host_writes(seed_reverse);
    // Known contents on both sides, then a write that no map announces.
    prover.unmap();
    prover.host_writes(seed_host);
    evict_caches();
    const uint32_t unread = prover.device_mismatches(seed_host);
    prover.map();
    if (unseen == 0 && unread == 0) {
        proof.zero_copy = ZeroCopy::proven;
    } else if (unseen == prover.words() || unread == prover.words()) {
        proof.zero_copy = ZeroCopy::no;
        proof.reason = "the driver keeps a shadow copy of host memory";
    } else {
        proof.zero_copy = ZeroCopy::unproven;
        proof.reason = fmt::format(
            "without a map the CPU missed {} and the device {} of {} words: caches hide the rest",
            unseen, unread, prover.words());
    }
}

}  // namespace

GpuBufferError::GpuBufferError(const std::string& call, cl_int code)
    : std::runtime_error(fmt::format("{} failed with OpenCL error {}", call, code)), code_(code) {}

GpuBuffer::GpuBuffer(cl_context context, uint8_t* memory, size_t size_bytes)
    : memory_(memory), size_(size_bytes) {
    cl_int code = CL_SUCCESS;
    mem_ = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size_, memory_, &code);
    check(code, "clCreateBuffer(CL_MEM_USE_HOST_PTR)");
}

GpuBuffer::~GpuBuffer() {
    if (mem_ != nullptr) clReleaseMemObject(mem_);
}

GpuBuffer::GpuBuffer(GpuBuffer&& other) noexcept
    : mem_(std::exchange(other.mem_, nullptr)),
      memory_(other.memory_),
      size_(other.size_),
      mapped_(other.mapped_) {}

cl_int GpuBuffer::enqueue_map(cl_command_queue queue, cl_map_flags flags, cl_event* done) noexcept {
    cl_int code = CL_SUCCESS;
    const void* pointer =
        clEnqueueMapBuffer(queue, mem_, CL_FALSE, flags, 0, size_, 0, nullptr, done, &code);
    if (code != CL_SUCCESS) return code;
    mapped_ = true;
    if (pointer == memory_) return CL_SUCCESS;
    if (done != nullptr) clReleaseEvent(*done);
    return CL_MAP_FAILURE;
}

cl_int GpuBuffer::enqueue_unmap(cl_command_queue queue) noexcept {
    if (!mapped_) return CL_SUCCESS;
    const cl_int code = clEnqueueUnmapMemObject(queue, mem_, memory_, 0, nullptr, nullptr);
    if (code == CL_SUCCESS) mapped_ = false;
    return code;
}

const char* name_of(ZeroCopy zero_copy) {
    switch (zero_copy) {
        case ZeroCopy::proven:
            return "proven";
        case ZeroCopy::unproven:
            return "unproven";
        case ZeroCopy::no:
            break;
    }
    return "no";
}

TransportProof prove(GpuBuffer& buffer, const FrameMemory& memory, cl_context context,
                     cl_command_queue queue, const PatternKernels& kernels) {
    Prover prover(buffer, memory, context, queue, kernels);
    TransportProof proof;
    proof.reason = check_correct(prover);
    proof.correct = proof.reason.empty();
    if (proof.correct) check_aliased(prover, proof);
    const CpuAccess access(memory, CpuAccess::Kind::write);
    std::memset(buffer.data(), 0, buffer.size());
    return proof;
}

}  // namespace glint::zero_copy
