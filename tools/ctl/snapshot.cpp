// `glintctl snapshot`: a picture from the service's memfd into a PNG file.
#include <fcntl.h>
#include <fmt/format.h>
#include <png.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "tools/ctl/client.hpp"
#include "tools/ctl/commands.hpp"
#include "tools/ctl/output.hpp"
#include "tools/ctl/pixels.hpp"
#include "tools/ctl/signals.hpp"

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

// A file that appears under its name whole or not at all.
class NewFile {
  public:
    explicit NewFile(std::string target) : target_(std::move(target)) {
        struct stat status {};
        if (stat(target_.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
            throw Failure(fmt::format("{} is there and not a regular file: name another", target_));
        temporary_ = target_ + ".XXXXXX";
        const int fd = mkostemp(temporary_.data(), O_CLOEXEC);
        if (fd < 0) fail(fmt::format("{} cannot be created", target_), errno);
        // mkostemp makes files private; this one shall be like any other that the user makes.
        const mode_t mask = umask(0);
        umask(mask);
        fchmod(fd, 0666 & ~mask);
        stream_.reset(fdopen(fd, "wb"));
        if (stream_) return;
        const int code = errno;
        close(fd);
        unlink(temporary_.c_str());
        fail(fmt::format("{} cannot be opened", temporary_), code);
    }
    ~NewFile() {
        if (!temporary_.empty()) unlink(temporary_.c_str());
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    std::FILE* stream() const { return stream_.get(); }

    void commit() {
        if (std::fflush(stream_.get()) != 0 || fsync(fileno(stream_.get())) != 0)
            fail(fmt::format("{} cannot be written", target_), errno);
        stream_.reset();
        if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
            fail(fmt::format("{} cannot be replaced", target_), errno);
        temporary_.clear();
    }

  private:
    struct Close {
        void operator()(std::FILE* stream) const { std::fclose(stream); }
    };
    std::string target_;
    std::string temporary_;
    std::unique_ptr<std::FILE, Close> stream_;
};

// libpng reports errors by longjmp. Each step sets its own landing place and holds no object that
// a jump would leave undestroyed; what went wrong waits in text_.
class PngWriter {
  public:
    PngWriter() : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning)) {
        if (png_ != nullptr) info_ = png_create_info_struct(png_);
        if (info_ == nullptr) {
            png_destroy_write_struct(&png_, nullptr);
            throw Failure("no memory for libpng");
        }
    }
    ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;

    void begin(std::FILE* stream, const Picture& picture) {
        const bool colour = picture.samples() == Samples::rgb8;
        const int depth = picture.samples() == Samples::grey16 ? 16 : 8;
        const int type = colour ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY;
        if (setjmp(png_jmpbuf(png_)) != 0) give_up();
        png_init_io(png_, stream);
        // Small boards wait for zlib, and noise does not compress anyway.
        png_set_compression_level(png_, 3);
        png_set_IHDR(png_, info_, picture.width(), picture.height(), depth, type,
                     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_write_info(png_, info_);
    }

    void row(const std::uint8_t* bytes) {
        if (setjmp(png_jmpbuf(png_)) != 0) give_up();
        errno = 0;
        png_write_row(png_, bytes);
    }

    void end() {
        if (setjmp(png_jmpbuf(png_)) != 0) give_up();
        errno = 0;
        png_write_end(png_, nullptr);
    }

  private:
    [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
        auto* self = static_cast<PngWriter*>(png_get_error_ptr(png));
        self->errno_ = errno;
        std::snprintf(self->text_, sizeof self->text_, "%s", text);
        png_longjmp(png, 1);
    }
    static void on_warning(png_structp, png_const_charp) {}

    [[noreturn]] void give_up() const {
        throw Failure(fmt::format("the PNG cannot be written: {} ({})", text_,
                                  errno_ != 0 ? std::strerror(errno_) : "no system error"));
    }

    png_structp png_;
    png_infop info_ = nullptr;
    char text_[128] = "";
    int errno_ = 0;
};

void write_png(const Picture& picture, const std::string& file) {
    // Ended in here, the program would leave its temporary file behind.
    const SignalsBlocked blocked{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    NewFile out(file);
    PngWriter writer;
    writer.begin(out.stream(), picture);
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
