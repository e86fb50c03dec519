#include "daemon/gpu/driver_cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

namespace glint::gpu {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& path, const fs::path& folder) {
    const fs::path whole = path.lexically_normal();
    const fs::path start = folder.lexically_normal();
    return std::mismatch(start.begin(), start.end(), whole.begin(), whole.end()).first ==
           start.end();
}

}  // namespace

void remove_leftovers(const fs::path& own) noexcept try {
    const char* cache = std::getenv("POCL_CACHE_DIR");
    if (cache == nullptr || own.empty() || !lies_in(cache, own)) return;
    std::error_code ignored;  // the next start tries again
    for (const auto& entry : fs::directory_iterator(cache, ignored)) {
        if (entry.path().filename().string().starts_with("tempfile_")) {
            fs::remove_all(entry.path(), ignored);
        }
    }
} catch (...) {  // for want of memory, or a folder that changes under the iterator
}

}  // namespace glint::gpu
