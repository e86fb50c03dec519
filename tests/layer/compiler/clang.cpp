#include "tests/layer/compiler/clang.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

extern char** environ;

namespace glint::layer::compiler {
namespace {

using std::chrono::steady_clock;

/// A file in memory. Files rather than pipes: nobody has to read while clang writes, nothing blocks
/// and there is no SIGPIPE.
class MemoryFile {
  public:
    MemoryFile() {
        const int low = ::memfd_create("glint-layer-clang", MFD_CLOEXEC);
        // Above the standard streams, even if the host closed those: the child's must not collide.
        if (low >= 0) fd_ = ::fcntl(low, F_DUPFD_CLOEXEC, 3);
        if (low >= 0) ::close(low);
    }
    ~MemoryFile() {
        if (fd_ >= 0) ::close(fd_);
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    [[nodiscard]] int fd() const { return fd_; }

    [[nodiscard]] bool write(std::string_view text) {
        size_t done = 0;
        while (done < text.size()) {
            const ssize_t n =
                ::pwrite(fd_, text.data() + done, text.size() - done, static_cast<off_t>(done));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return false;
            done += static_cast<size_t>(n);
        }
        return true;
    }

    [[nodiscard]] std::string read() const {
        std::string text;
        char block[16384];
        for (;;) {
            const ssize_t n = ::pread(fd_, block, sizeof block, static_cast<off_t>(text.size()));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return text;
            text.append(block, static_cast<size_t>(n));
        }
    }

  private:
    int fd_ = -1;
};

struct Files {
    MemoryFile input, output, errors;
    [[nodiscard]] bool open() const {
        return input.fd() >= 0 && output.fd() >= 0 && errors.fd() >= 0;
    }
};

/// 0, or the error number. The child gets a process group of its own, so that it can be killed with
/// whatever it started, and plain signal handling whatever the host blocks or ignores.
int spawn(pid_t& child, const std::string& program, const std::vector<std::string>& arguments,
          const Files& files) {
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, files.input.fd(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, files.output.fd(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, files.errors.fd(), STDERR_FILENO);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

    const int code =
        ::posix_spawnp(&child, program.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

struct End {
    bool timed_out = false;
    bool lost = false;  ///< the host reaped our child, or ignores SIGCHLD: no exit status
    int status = 0;
};

/// Asks again and again: a pidfd would be woken sooner, but not every kernel and sandbox has one.
End wait_for(pid_t child, std::chrono::milliseconds limit) {
    const auto deadline = steady_clock::now() + limit;
    End end;
    for (;;) {
        const pid_t got = ::waitpid(child, &end.status, WNOHANG);
        if (got == child) return end;
        if (got < 0 && errno != EINTR) {
            end.lost = true;
            return end;
        }
        if (steady_clock::now() >= deadline) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    end.timed_out = true;
    ::kill(-child, SIGKILL);
    while (::waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
    }
    return end;
}

std::string failure_of(const std::string& program, const End& end,
                       std::chrono::milliseconds limit) {
    if (end.timed_out) {
        return fmt::format("'{}' took longer than {} ms and was stopped", program, limit.count());
    }
    if (!end.lost && WIFSIGNALED(end.status)) {
        return fmt::format("'{}' was killed by signal {}", program, WTERMSIG(end.status));
    }
    // What a shell, or an old libc's posix_spawn, reports for a program that is not there.
    if (!end.lost && WEXITSTATUS(end.status) == 127) {
        return fmt::format("'{}' could not be run", program);
    }
    return {};
}

}  // namespace

std::string clang_program() {
    const char* named = std::getenv("GLINT_LAYER_CLANG");
    return named != nullptr && *named != '\0' ? named : "clang";
}

ClangRun run_clang(const std::vector<std::string>& arguments, std::string_view input,
                   std::chrono::milliseconds limit) {
    const std::string program = clang_program();
    ClangRun run;
    Files files;
    if (!files.open() || !files.input.write(input)) {
        run.failure = fmt::format("no memory file for '{}': {}", program, std::strerror(errno));
        return run;
    }
    pid_t child = -1;
    if (const int code = spawn(child, program, arguments, files); code != 0) {
        run.failure = fmt::format("cannot run '{}': {}", program, std::strerror(code));
        return run;
    }
    const End end = wait_for(child, limit);
    run.failure = failure_of(program, end, limit);
    run.output = files.output.read();
    run.errors = files.errors.read();
    // Without a status: clang prints its result only if there were no errors.
    run.succeeded =
        run.failure.empty() &&
        (end.lost ? !run.output.empty() && run.errors.find("error:") == std::string::npos
                  : WEXITSTATUS(end.status) == 0);
    return run;
}

}  // namespace glint::layer::compiler
