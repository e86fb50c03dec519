// `glintctl snapshot`: a picture from the service's memfd into a PNG file.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "tools/ctl/client.hpp"
#include "tools/ctl/commands.hpp"
#include "tools/ctl/output.hpp"
#include "tools/ctl/pixels.hpp"
#include "tools/ctl/signals.hpp"
#include "tools/new_file.hpp"
#include "tools/png_writer.hpp"

namespace glint::ctl {
namespace {

[[noreturn]] void fail(const std::string& what, int code) {
    throw Failure(fmt::format("{}: {}", what, std::strerror(code)));
}

// The memory behind a descriptor, read-only.
class Mapping {
  public:
    explicit Mapping(int fd) {
        struct stat status {};
        if (fstat(fd, &status) != 0) fail("the picture's memory", errno);
        // Without this seal the memory could shrink under us, which ends in SIGBUS.
        if (const int seals = fcntl(fd, F_GET_SEALS); seals < 0 || (seals & F_SEAL_SHRINK) == 0)
            throw Failure("glintd sent a picture in memory that is not sealed against shrinking");
        size_ = static_cast<std::size_t>(status.st_size);
        if (size_ == 0) throw Failure("glintd sent a picture of no bytes");
        data_ = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
        if (data_ == MAP_FAILED)
            fail(fmt::format("{} bytes of picture cannot be mapped", size_), errno);
    }
    ~Mapping() { munmap(data_, size_); }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    std::span<const std::uint8_t> bytes() const {
        return {static_cast<const std::uint8_t*>(data_), size_};
    }

  private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

tools::PngSamples png_samples(Samples samples) {
    switch (samples) {
        case Samples::grey8:
            return tools::PngSamples::grey8;
        case Samples::grey16:
            return tools::PngSamples::grey16;
        case Samples::rgb8:
            break;
    }
    return tools::PngSamples::rgb8;
}

void write_png(const Picture& picture, const std::string& file) {
    // Ended in here, the program would leave its temporary file behind.
    const SignalsBlocked blocked{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    tools::NewFile out(file);
    tools::PngWriter writer;
    writer.begin(out.stream(), png_samples(picture.samples()), picture.width(), picture.height());
    std::vector<std::uint8_t> row(picture.row_bytes());
    for (std::uint32_t y = 0; y < picture.height(); ++y) {
        picture.row(y, row);
        writer.row(row.data());
    }
    writer.end();
    out.commit();
}

}  // namespace

void snapshot(Bus& bus, const SnapshotOptions& options) {
    const Message reply = Camera(bus, options.camera).call("GetFrame", options.stage);
    int fd = -1;  // stays the message's
    wire::expect(sd_bus_message_read_basic(reply.get(), 'h', &fd));
    FrameHeader header;
    wire::read_fields(reply.get(), header);
    const Mapping memory(fd);
    write_png(Picture(header, memory.bytes()), options.file);
    print(fmt::format("{}: {}x{} {} from '{}', sequence {}\n", options.file, header.width,
                      header.height, options.stage, header.fourcc, header.sequence));
}

}  // namespace glint::ctl
