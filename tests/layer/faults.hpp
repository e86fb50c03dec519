// Faults on demand: GLINT_LAYER_FAULTS.
//
//   rules   = rule *( ";" rule )
//   rule    = FUNCTION [ "[" KERNEL "]" ] "@" when "=" action
//   when    = [ FUNCTION ":" ] nth     counted only after the first call of that function
//   nth     = N | N "+" | "*"          the Nth call, from the Nth call on, every call; counted for
//                                      each rule, of matching calls, from 1
//   action  = CL_ERROR_NAME            the call does nothing and returns this
//           | "kill"                   the process is killed inside the call, by SIGKILL
//           | "block"                  the call never returns
//           | "lost"                   every context made so far is lost: its calls fail with
//                                      CL_OUT_OF_RESOURCES from now on
//           | "hang"                   (launches) never completes, nor does what comes after it
//           | "late:" MS               (launches, clSetEventCallback) completes that much later
//           | "flip:" ARGUMENT         (launches) the first bit of that buffer is wrong afterwards
//           | "flip-all:" ARGUMENT     (launches) one bit of every byte of that buffer is
//           | "fail"                   (clBuildProgram) the build fails, with a log
//           | "elsewhere"              (clEnqueueMapBuffer) returns another pointer
//           | "sync"                   (clSetEventCallback) waits and calls back inside the call
//           | "never"                  (clSetEventCallback) never calls back
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/layer/functions.hpp"

namespace glint::layer {

class FaultError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Fault {
    enum class Action {
        error,
        kill,
        block,
        lost,
        hang,
        late,
        flip,
        flip_all,
        fail,
        elsewhere,
        sync,
        never,
    };
    Action action = Action::error;
    cl_int error = CL_SUCCESS;
    uint32_t argument = 0;
    std::chrono::milliseconds delay{0};
};

class Faults {
  public:
    Faults() = default;
    /// Throws FaultError with the rule and what is allowed in its place.
    explicit Faults(std::string_view text);
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;

    /// Counts the call and says what happens to it. `kernel` is empty but for launches.
    [[nodiscard]] std::optional<Fault> on_call(Function function, std::string_view kernel = {});
    /// Whether any rule is about this function: for callers that save work otherwise.
    [[nodiscard]] bool concern(Function function) const noexcept;

  private:
    struct Rule {
        Function function{};
        std::string kernel;
        std::optional<Function> after;
        uint64_t first = 1;
        uint64_t last = 1;
        Fault fault;
        std::atomic<bool> begun{false};
        std::atomic<uint64_t> calls{0};
    };
    static void parse(std::string_view text, Rule& rule);

    std::deque<Rule> rules_;
};

}  // namespace glint::layer
