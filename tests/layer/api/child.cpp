#include "tests/layer/api/child.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace glint::layer::test {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds patience{480000};
constexpr int threw = 99;

int anonymous_file() {
    const int fd = ::memfd_create("output", MFD_CLOEXEC);
    if (fd < 0) throw std::runtime_error("memfd_create");
    return fd;
}

std::string contents_and_close(int fd) {
    std::string text(static_cast<size_t>(::lseek(fd, 0, SEEK_END)), '\0');
    const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<size_t>(got));
    ::close(fd);
    return text;
}

[[noreturn]] void run(const std::function<void()>& body) {
    try {
        body();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::fflush(nullptr);
        ::_exit(threw);
    } catch (...) {  // a check of CppUTest, which has printed itself
        std::fflush(nullptr);
        ::_exit(threw);
    }
    std::exit(0);
}

}  // namespace

Outcome in_child(const std::function<void()>& body) {
    const int out = anonymous_file();
    const int err = anonymous_file();
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("fork");
    if (child == 0) {
        ::dup2(out, STDOUT_FILENO);
        ::dup2(err, STDERR_FILENO);
        run(body);
    }
    int status = 0;
    if (!wait_for(patience, [&] { return ::waitpid(child, &status, WNOHANG) == child; })) {
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
    }
    Outcome outcome{.out = contents_and_close(out), .err = contents_and_close(err)};
    if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
    if (outcome.code == threw) std::fputs((outcome.out + outcome.err).c_str(), stderr);
    return outcome;
}

Outcome run_program(const std::vector<std::string>& arguments) {
    return in_child([&] {
        std::vector<char*> pointers;
        for (const std::string& argument : arguments) {
            pointers.push_back(const_cast<char*>(argument.c_str()));
        }
        pointers.push_back(nullptr);
        ::execv(pointers[0], pointers.data());
        throw std::runtime_error("cannot run " + arguments[0]);
    });
}

bool wait_for(milliseconds at_most, const std::function<bool()>& met) {
    const auto end = std::chrono::steady_clock::now() + at_most;
    while (!met()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        ::poll(nullptr, 0, 5);
    }
    return true;
}

size_t count_of(std::string_view text, std::string_view part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

TemporaryFile::TemporaryFile(std::string_view text) {
    path_ = (std::filesystem::temp_directory_path() / "glint-layer-XXXXXX").string();
    const int fd = ::mkstemp(path_.data());
    if (fd < 0) throw std::runtime_error("mkstemp: " + path_);
    ::close(fd);
    std::ofstream(path_, std::ios::binary).write(text.data(), std::ssize(text));
}

TemporaryFile::~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

std::string TemporaryFile::read() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace glint::layer::test
