// Prints a line for each histogram or picture of a camera as glintd shows them in shared memory.
//
//   cc -std=c11 read_stream.c $(pkg-config --cflags --libs glintd libsystemd) -o read_stream
//   ./read_stream CAMERA histograms|raw|filtered [COUNT]
#include <glintd/stream.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

// Copies of the descriptors outlive the reply that brought them. Returns the event's, or -1.
static int open_stream(const char* camera, const char* what, struct glintd_stream* stream) {
    char path[128];
    sd_bus* bus = NULL;
    sd_bus_message* reply = NULL;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    int memory = -1, event = -1;
    snprintf(path, sizeof path, "/org/glintd1/camera/%s", camera);
    int result = sd_bus_open_system(&bus);
    if (result >= 0)
        result = sd_bus_call_method(bus, "org.glintd1", path, "org.glintd1.Camera", "OpenStream",
                                    &error, &reply, "s", what);
    if (result >= 0) result = sd_bus_message_read(reply, "hhu", &memory, &event, NULL);
    if (result >= 0) result = glintd_stream_map(stream, memory);
    if (result >= 0) event = dup(event);
    if (result < 0)
        fprintf(stderr, "%s of %s: %s\n", what, camera,
                error.message != NULL ? error.message : strerror(-result));
    sd_bus_error_free(&error);
    sd_bus_message_unref(reply);
    sd_bus_flush_close_unref(bus);
    return result < 0 ? -1 : event;
}

// Of the whole frame's first channel, or of the bytes of the picture's first plane.
static double mean(const struct glintd_stream* stream, const uint8_t* payload) {
    const struct glintd_stream_histograms* histograms = &stream->header->histograms;
    const struct glintd_stream_plane* plane = &stream->header->picture.planes[0];
    double sum = 0, count = 0;
    if (stream->header->kind == GLINTD_STREAM_HISTOGRAMS) {
        const uint32_t* bins = glintd_stream_bins(stream, payload, 0, 0);
        for (uint32_t bin = 0; bin < histograms->bins; ++bin) {
            sum += (double)bin * bins[bin];
            count += bins[bin];
        }
        return sum / count;
    }
    for (uint32_t y = 0; y < plane->rows; ++y)
        for (uint32_t x = 0; x < plane->row_bytes; ++x, ++count)
            sum += payload[plane->offset_bytes + (size_t)y * plane->stride_bytes + x];
    return sum / count;
}

static void print_newest(struct glintd_stream* stream, uint8_t* payload, long* left) {
    struct glintd_stream_entry entry;
    if (glintd_stream_read(stream, &entry, payload, stream->header->payload_bytes) != 1) return;
    printf("sequence=%" PRIu64 " timestamp_nsec=%" PRIu64 " generation=%" PRIu32 " missed=%" PRIu32
           " mean=%.6f\n",
           entry.sequence, entry.timestamp_nsec, entry.generation, entry.missed,
           mean(stream, payload));
    fflush(stdout);
    --*left;
}

int main(int argc, char** argv) {
    struct glintd_stream stream = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: %s CAMERA histograms|raw|filtered [COUNT]\n", argv[0]);
        return 2;
    }
    long left = argc > 3 ? strtol(argv[3], NULL, 10) : -1;
    struct pollfd event = {.fd = open_stream(argv[1], argv[2], &stream), .events = POLLIN};
    if (event.fd < 0) return 1;
    uint8_t* payload = malloc(stream.header->payload_bytes);
    if (payload == NULL) return 1;
    while (left != 0) {
        char bytes[64];
        if (poll(&event, 1, -1) < 0) continue;  // a signal
        // Emptied first: what comes after that wakes again.
        const ssize_t got = event.revents & POLLIN ? read(event.fd, bytes, sizeof bytes) : 0;
        print_newest(&stream, payload, &left);
        if (got == 0) break;
    }
    if (left != 0) puts(glintd_stream_ended(&stream) ? "ended" : "the service is gone");
    free(payload);
    close(event.fd);
    glintd_stream_unmap(&stream);
    return 0;
}
