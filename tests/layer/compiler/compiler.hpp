// What a small GPU's old vendor compiler would say about an OpenCL C program.
//
// clang reads the program for a SPIR target with the played device's language version and
// extensions; on top come the source rules of old front ends, the arithmetic, atomics and images
// that the device lacks, and an estimate of instructions and registers (budget.hpp says what that
// estimate counts and what it leaves out). Needs no OpenCL; every call runs clang a few times and
// may be made from any thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace glint::layer {

/// What the played device's compiler can do.
struct CompilerLimits {
    std::string device;                ///< "GC2000", for messages
    uint32_t c_version = 110;          ///< highest -cl-std: 110, 120, 200, 300
    std::set<std::string> extensions;  ///< as in CL_DEVICE_EXTENSIONS
    bool embedded_profile = false;
    bool int64 = false;  ///< long and ulong
    bool fp16 = false;   ///< half arithmetic
    bool fp64 = false;   ///< double arithmetic
    bool images = false;
    bool image_writes = false;
    bool old_front_end = false;     ///< enforce the source rules (source_rules.hpp)
    uint32_t max_instructions = 0;  ///< 0: no limit
    uint32_t max_registers = 0;     ///< of four 32-bit components; 0: no limit
    bool scalar_int = false;   ///< GC2000: integer vectors are worked on one component at a time
    uint32_t float_width = 4;  ///< components per float instruction
};

struct KernelCost {
    std::string kernel;
    uint32_t instructions = 0;
    uint32_t registers = 0;
};

struct CompilerVerdict {
    bool checked = true;  ///< false: clang could not be run; the log says so, nothing is refused
    bool builds = true;
    /// One line per problem in the vendor's wording, each followed by a line "glint-layer: ..."
    /// that says what is wrong, on which device, and what to do instead.
    std::string log;
    std::vector<std::string> problems;  ///< the readable sentences alone
    std::vector<KernelCost> costs;      ///< of each kernel, when the program builds
};

/// Judges `source`, built with `options` as given to clBuildProgram. Options that are not for a
/// front end (-D, -U, -I, -cl-...) are ignored: the driver underneath answers for them.
[[nodiscard]] CompilerVerdict check_program(const std::string& source, const std::string& options,
                                            const CompilerLimits& limits);

/// Empty if a kernel of this cost fits. Otherwise what the log says when clCreateKernel refuses it:
/// the vendor's lines, then a readable one.
[[nodiscard]] std::string why_too_large(const KernelCost& cost, const CompilerLimits& limits);

}  // namespace glint::layer
