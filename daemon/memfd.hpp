// Memory that is shared with clients: files without a name, which they can read and nothing else.
#pragma once

#include "zero_copy/unique_fd.hpp"

namespace glint {

/// An empty one that can be sealed; `name` is for people who look into /proc. Throws
/// std::system_error, as the others.
[[nodiscard]] zero_copy::UniqueFd make_memfd(const char* name);

/// Another open file on the same memory: receivers must not share a position, nor be able to write.
[[nodiscard]] zero_copy::UniqueFd reopen_read_only(const zero_copy::UniqueFd& memfd);

[[noreturn]] void throw_errno(const char* what);

}  // namespace glint
