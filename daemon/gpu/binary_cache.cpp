#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "daemon/gpu/program.hpp"
#include "zero_copy/unique_fd.hpp"

namespace glint::gpu {
namespace {

// File: magic, key length, binary length, hash of the binary, key, binary. Lengths and hash are
// 64-bit in the byte order of the machine, which is part of the device and so of the key.
constexpr std::string_view magic = "glintd program 1\n";

/// FNV-1a, 64 bits (Fowler, Noll, Vo). It names files and finds damage; it defends against nothing.
uint64_t fnv1a(std::span<const unsigned char> bytes) noexcept {
    uint64_t hash = 0xcbf29ce484222325;
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
    return hash;
}

std::span<const unsigned char> bytes_of(std::string_view text) noexcept {
    return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

struct Header {
    uint64_t key_bytes = 0;
    uint64_t binary_bytes = 0;
    uint64_t binary_hash = 0;
};

/// Anything larger is damage, not a program.
constexpr uint64_t largest_binary = uint64_t{256} << 20;

void write_all(int fd, std::span<const unsigned char> bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) throw std::system_error(errno, std::generic_category());
        bytes = bytes.subspan(static_cast<size_t>(put));
    }
}

/// Removes the temporary file unless it got its final name.
struct TemporaryFile {
    std::string path;
    zero_copy::UniqueFd fd;
    bool kept = false;
    ~TemporaryFile() {
        if (fd.valid() && !kept) ::unlink(path.c_str());
    }
};

}  // namespace

BinaryCache::BinaryCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

std::filesystem::path BinaryCache::file_for(const std::string& key) const {
    return folder_ / fmt::format("{:016x}.clbin", fnv1a(bytes_of(key)));
}

std::vector<unsigned char> BinaryCache::load(const std::string& key) const noexcept try {
    if (folder_.empty()) return {};
    std::ifstream file(file_for(key), std::ios::binary);
    if (!file) return {};
    std::string start(magic.size(), '\0');
    Header header;
    file.read(start.data(), static_cast<std::streamsize>(start.size()));
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    if (!file || start != magic || header.key_bytes != key.size() || header.binary_bytes == 0 ||
        header.binary_bytes > largest_binary) {
        drop(key);
        return {};
    }
    std::string stored_key(key.size(), '\0');
    std::vector<unsigned char> binary(static_cast<size_t>(header.binary_bytes));
    file.read(stored_key.data(), static_cast<std::streamsize>(stored_key.size()));
    file.read(reinterpret_cast<char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
    const bool whole = file && file.peek() == std::ifstream::traits_type::eof();
    if (!whole || stored_key != key || fnv1a(binary) != header.binary_hash) {
        drop(key);
        return {};
    }
    return binary;
} catch (...) {
    return {};
}

void BinaryCache::store(const std::string& key, std::span<const unsigned char> binary) noexcept {
    if (folder_.empty()) return;
    try {
        std::filesystem::create_directories(folder_);
        TemporaryFile temporary{.path = (folder_ / "new-XXXXXX").string(), .fd = {}};
        temporary.fd = zero_copy::UniqueFd(::mkostemp(temporary.path.data(), O_CLOEXEC));
        if (!temporary.fd.valid()) throw std::system_error(errno, std::generic_category());
        const Header header{key.size(), binary.size(), fnv1a(binary)};
        write_all(temporary.fd.get(), bytes_of(magic));
        write_all(temporary.fd.get(),
                  {reinterpret_cast<const unsigned char*>(&header), sizeof header});
        write_all(temporary.fd.get(), bytes_of(key));
        write_all(temporary.fd.get(), binary);
        std::filesystem::rename(temporary.path, file_for(key));
        temporary.kept = true;
        problem_.clear();
    } catch (const std::filesystem::filesystem_error& error) {
        problem_ = fmt::format("cannot write the program cache {}: {}", folder_.string(),
                               error.code().message());
    } catch (const std::system_error& error) {
        problem_ = fmt::format("cannot write the program cache {}: {}", folder_.string(),
                               error.code().message());
    } catch (const std::exception& error) {
        problem_ = error.what();
    }
}

void BinaryCache::drop(const std::string& key) const noexcept {
    if (folder_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove(file_for(key), ignored);
}

}  // namespace glint::gpu
