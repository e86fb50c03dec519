// One thing that is wrong with a program, as the vendor says it and as a person would.
#pragma once

#include <cstdint>
#include <string>

namespace glint::layer::compiler {

struct Finding {
    uint32_t line = 0;    ///< in the source; 0: unknown
    std::string subject;  ///< what it is about: the same sin found twice is told once
    std::string vendor;   ///< the vendor's wording, without place
    std::string reason;   ///< what is wrong, on which device, what to do instead
};

}  // namespace glint::layer::compiler
