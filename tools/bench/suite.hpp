// The parts of the table. Each adds its rows; nothing is measured before a row's turn comes.
#pragma once

#include "tools/bench/ceilings.hpp"
#include "tools/bench/variants.hpp"

namespace glint::bench {

/// What the rows of the OpenCL device share. Outlives all of them.
struct Suite {
    Device device;
    Ceilings ceilings{device};
    Variants variants{device};
    bool all = false;  ///< every format, stride and block size, not only the default rows

    explicit Suite(gpu::Device chosen) : device(std::move(chosen)) {}
    Suite(const Suite&) = delete;
    Suite& operator=(const Suite&) = delete;
};

void add_ceilings(Suite& suite);
/// Every variant x task x picture x format x stride x size.
void add_matrix(Suite& suite);
/// Ways of getting a frame to the device and back.
void add_transfers(Suite& suite);
/// The frame as an image, with and without getting it there.
void add_images(Suite& suite);
/// What a launch costs; batches, queues.
void add_launches(Suite& suite);
/// A filter that feeds a histogram through a pipe.
void add_pipes(Suite& suite);
/// The cpu variants, on one thread beside that thread's ceilings.
void add_cpu(bool all);
/// OpenCV on the same data and device; only with GLINT_BENCH_PEERS.
void add_peers(Suite& suite);

}  // namespace glint::bench
