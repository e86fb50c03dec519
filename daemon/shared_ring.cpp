#include "daemon/shared_ring.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "daemon/memfd.hpp"

namespace glint {
namespace {

// What compilers of clients must agree with.
static_assert(sizeof(glintd_stream_slot) == 64);
static_assert(offsetof(glintd_stream_slot, generation) == 24);
static_assert(offsetof(glintd_stream_header, picture) == 48);
static_assert(offsetof(glintd_stream_header, histograms) == 128);
static_assert(sizeof(glintd_stream_header) == 3880);

constexpr uint32_t page_bytes = 4096;

constexpr uint32_t round_up(uint32_t bytes, uint32_t to) {
    return (bytes + to - 1) / to * to;
}

/// Seals as far as the kernel goes: before 5.1 it has no seal that leaves our own mapping writable,
/// and then the mode and the read-only descriptor have to do.
void close_to_writers(int fd) {
    if (::fchmod(fd, 0444) != 0) throw_errno("fchmod of a stream's memory");
    constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;
    if (::fcntl(fd, F_ADD_SEALS, size_seals | F_SEAL_FUTURE_WRITE) == 0) return;
    if (errno != EINVAL || ::fcntl(fd, F_ADD_SEALS, size_seals) != 0) {
        throw_errno("sealing a stream's memory");
    }
}

}  // namespace

uint32_t SharedRing::slot_bytes(uint32_t payload_bytes) {
    return round_up(static_cast<uint32_t>(sizeof(glintd_stream_slot)) + payload_bytes,
                    sizeof(glintd_stream_slot));
}

SharedRing::SharedRing(const glintd_stream_header& shape) : memory_(make_memfd("glintd-stream")) {
    const uint32_t stride = slot_bytes(shape.payload_bytes);
    const uint32_t first_slot = round_up(sizeof shape, page_bytes);
    mapped_bytes_ = first_slot + size_t{slot_count} * stride;
    if (::ftruncate(memory_.get(), static_cast<off_t>(mapped_bytes_)) != 0) {
        throw_errno("making a stream's memory");
    }
    void* const mapped =
        ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
    if (mapped == MAP_FAILED) throw_errno("mapping a stream's memory");
    header_ = static_cast<glintd_stream_header*>(mapped);
    *header_ = shape;
    header_->magic = GLINTD_STREAM_MAGIC;
    header_->layout_version = GLINTD_STREAM_LAYOUT_VERSION;
    header_->header_bytes = sizeof shape;
    header_->slot_count = slot_count;
    header_->slot_stride = stride;
    header_->first_slot = first_slot;
    try {
        close_to_writers(memory_.get());
    } catch (...) {
        ::munmap(header_, mapped_bytes_);
        throw;
    }
}

SharedRing::~SharedRing() {
    ::munmap(header_, mapped_bytes_);
}

zero_copy::UniqueFd SharedRing::open_read_only() const {
    return reopen_read_only(memory_);
}

void SharedRing::write(const RingEntry& entry, std::span<const uint8_t> payload) noexcept {
    const uint32_t number = next_number();
    uint8_t* const at = reinterpret_cast<uint8_t*>(header_) + header_->first_slot +
                        size_t{number % slot_count} * header_->slot_stride;
    auto* const slot = reinterpret_cast<glintd_stream_slot*>(at);
    const uint32_t lock = slot->lock;
    __atomic_store_n(&slot->lock, lock + 1, __ATOMIC_RELAXED);
    // The lock is seen before anything of the new entry is.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    slot->number = number;
    slot->sequence = entry.sequence;
    slot->timestamp_nsec = entry.timestamp_nsec;
    slot->generation = entry.generation;
    std::memcpy(at + sizeof *slot, payload.data(), header_->payload_bytes);
    __atomic_store_n(&slot->lock, lock + 2, __ATOMIC_RELEASE);
}

void SharedRing::publish() noexcept {
    newest_ = next_number();
    __atomic_store_n(&header_->newest, newest_, __ATOMIC_RELEASE);
}

void SharedRing::end() noexcept {
    __atomic_store_n(&header_->ended, 1U, __ATOMIC_RELEASE);
}

}  // namespace glint
