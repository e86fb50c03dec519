// The memory that org.glintd1.Camera.OpenStream gives: its layout and its reader, for C11 and
// C++17, without a library.
#ifndef GLINTD_STREAM_H
#define GLINTD_STREAM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#ifdef __cplusplus
extern "C" {
#endif

/// "glst" in memory on a little-endian machine.
#define GLINTD_STREAM_MAGIC 0x74736c67U
#define GLINTD_STREAM_LAYOUT_VERSION 1U

#define GLINTD_STREAM_MAX_REGIONS 66
#define GLINTD_STREAM_MAX_CHANNELS 4
#define GLINTD_STREAM_MAX_PLANES 3

// What the entries of a stream are: glintd_stream_header.kind.
#define GLINTD_STREAM_HISTOGRAMS 1U
#define GLINTD_STREAM_PICTURES 2U

/// A rectangle of the frame, in pixels; the region "metering" has the whole frame's.
struct glintd_stream_region {
    char name[40];
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
};

/// An entry is region_count x channel_count x bins counts of 32 bits, region by region.
struct glintd_stream_histograms {
    uint32_t region_count;
    uint32_t channel_count;
    uint32_t bins;
    uint32_t bit_depth;  ///< of the samples
    uint32_t bin_width;  ///< sample values per bin; 0: uneven, as GetHistogram says
    uint32_t padding;
    char channels[GLINTD_STREAM_MAX_CHANNELS][8];                    ///< "Y", "R", "Gr" ...
    struct glintd_stream_region regions[GLINTD_STREAM_MAX_REGIONS];  ///< the whole frame first
};

struct glintd_stream_plane {
    uint32_t offset_bytes;  ///< from the beginning of an entry
    uint32_t stride_bytes;  ///< from one row to the next
    uint32_t row_bytes;     ///< of a row that mean something
    uint32_t rows;
};

/// An entry is a picture, as GetFrame gives it.
struct glintd_stream_picture {
    char fourcc[8];
    char range[8];  ///< "full" or "limited"
    uint32_t width;
    uint32_t height;
    uint32_t plane_count;
    uint32_t padding;
    struct glintd_stream_plane planes[GLINTD_STREAM_MAX_PLANES];
};

/// At the beginning of the memory. Nothing but `newest` and `ended` changes.
struct glintd_stream_header {
    uint32_t magic;
    uint32_t layout_version;
    uint32_t header_bytes;   ///< of this structure
    uint32_t kind;           ///< GLINTD_STREAM_HISTOGRAMS or GLINTD_STREAM_PICTURES
    uint32_t slot_count;     ///< entry N lies in slot N % slot_count
    uint32_t slot_stride;    ///< bytes from one slot to the next
    uint32_t first_slot;     ///< bytes from the beginning of the memory
    uint32_t payload_bytes;  ///< of an entry, behind its slot's head
    uint32_t newest;         ///< number of the newest entry, from 1; 0: none yet; atomic
    uint32_t ended;          ///< 1: no further entry comes; atomic
    uint32_t generation;     ///< of the camera when the memory was made
    uint32_t padding;
    struct glintd_stream_picture picture;        ///< of GLINTD_STREAM_PICTURES, else zeros
    struct glintd_stream_histograms histograms;  ///< of GLINTD_STREAM_HISTOGRAMS, else zeros
};

/// The head of a slot; the payload follows. A seqlock: what was read between two equal, even values
/// of `lock` is whole.
struct glintd_stream_slot {
    uint32_t lock;            ///< odd while the slot is being written; atomic
    uint32_t number;          ///< of the entry
    uint64_t sequence;        ///< of the frame, as in Measured
    uint64_t timestamp_nsec;  ///< of the frame, CLOCK_MONOTONIC
    uint32_t generation;      ///< under which it was measured
    uint32_t padding[9];
};

/// A mapped stream.
struct glintd_stream {
    const struct glintd_stream_header* header;  ///< NULL: not mapped
    size_t mapped_bytes;
    uint32_t last;  ///< number of the entry that was read last; 0: none
};

/// What is known of an entry that was read.
struct glintd_stream_entry {
    uint32_t number;
    uint32_t missed;  ///< entries between the one that was read before and this one
    uint64_t sequence;
    uint64_t timestamp_nsec;
    uint32_t generation;
    uint32_t padding;
};

static inline int glintd_stream_header_fits(const struct glintd_stream_header* header,
                                            size_t mapped_bytes) {
    const uint64_t slots = (uint64_t)header->slot_count * header->slot_stride;
    return header->magic == GLINTD_STREAM_MAGIC &&
           header->layout_version == GLINTD_STREAM_LAYOUT_VERSION && header->slot_count > 0 &&
           header->header_bytes >= sizeof *header &&
           header->slot_stride >= sizeof(struct glintd_stream_slot) &&
           header->slot_stride - sizeof(struct glintd_stream_slot) >= header->payload_bytes &&
           header->first_slot + slots <= mapped_bytes;
}

static inline void glintd_stream_unmap(struct glintd_stream* stream) {
    if (stream->header != NULL) munmap((void*)(uintptr_t)stream->header, stream->mapped_bytes);
    stream->header = NULL;
}

/// Maps the memory of OpenStream; the descriptor may be closed then. 0, or a negative errno value;
/// -EPROTO: this is no stream, or one of another layout version.
static inline int glintd_stream_map(struct glintd_stream* stream, int memory) {
    struct stat status;
    void* mapped;
    stream->header = NULL;
    stream->mapped_bytes = 0;
    stream->last = 0;
    if (fstat(memory, &status) != 0) return -errno;
    if (status.st_size < (off_t)sizeof(struct glintd_stream_header)) return -EPROTO;
    stream->mapped_bytes = (size_t)status.st_size;
    mapped = mmap(NULL, stream->mapped_bytes, PROT_READ, MAP_SHARED, memory, 0);
    if (mapped == MAP_FAILED) return -errno;
    stream->header = (const struct glintd_stream_header*)mapped;
    if (glintd_stream_header_fits(stream->header, stream->mapped_bytes)) return 0;
    glintd_stream_unmap(stream);
    return -EPROTO;
}

/// Whether no further entry will come. The event then hangs up as well.
static inline int glintd_stream_ended(const struct glintd_stream* stream) {
    return __atomic_load_n(&stream->header->ended, __ATOMIC_ACQUIRE) != 0;
}

/// Copies the newest entry out, if it is another than the last time: payload_bytes into `payload`,
/// which has room for `room`. 1: copied; 0: nothing new; -ENOBUFS: no room; -EBUSY: each time the
/// writer was faster, so this reader is too slow for the stream.
static inline int glintd_stream_read(struct glintd_stream* stream,
                                     struct glintd_stream_entry* entry, void* payload,
                                     size_t room) {
    const struct glintd_stream_header* header = stream->header;
    int tries;
    if (room < header->payload_bytes) return -ENOBUFS;
    for (tries = 0; tries < 8; ++tries) {
        const uint32_t newest = __atomic_load_n(&header->newest, __ATOMIC_ACQUIRE);
        const struct glintd_stream_slot* slot;
        uint32_t lock;
        if (newest == 0 || newest == stream->last) return 0;
        slot = (const struct glintd_stream_slot*)((uintptr_t)header + header->first_slot +
                                                  (size_t)(newest % header->slot_count) *
                                                      header->slot_stride);
        lock = __atomic_load_n(&slot->lock, __ATOMIC_ACQUIRE);
        if ((lock & 1U) != 0) continue;
        entry->number = slot->number;
        entry->sequence = slot->sequence;
        entry->timestamp_nsec = slot->timestamp_nsec;
        entry->generation = slot->generation;
        memcpy(payload, slot + 1, header->payload_bytes);
        // The copy is over before the lock is looked at again.
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&slot->lock, __ATOMIC_RELAXED) != lock) continue;
        if (entry->number != newest) continue;
        entry->missed = stream->last == 0 ? 0 : newest - stream->last - 1;
        entry->padding = 0;
        stream->last = newest;
        return 1;
    }
    return -EBUSY;
}

/// The bins of one region and channel in an entry of GLINTD_STREAM_HISTOGRAMS.
static inline const uint32_t* glintd_stream_bins(const struct glintd_stream* stream,
                                                 const void* payload, uint32_t region,
                                                 uint32_t channel) {
    const struct glintd_stream_histograms* shape = &stream->header->histograms;
    return (const uint32_t*)payload +
           ((size_t)region * shape->channel_count + channel) * shape->bins;
}

#ifdef __cplusplus
}
#endif

#endif
