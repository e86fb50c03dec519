// A thread for what takes longer than a millisecond: jobs in, completions out.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "daemon/loop.hpp"

namespace glint {

/// What a job returned, or threw.
template <typename T>
class Outcome {
  public:
    explicit Outcome(T value) : value_(std::move(value)) {}
    explicit Outcome(std::exception_ptr failure) : failure_(std::move(failure)) {}
    /// Moves the value out, or rethrows.
    [[nodiscard]] T get() {
        if (failure_ != nullptr) std::rethrow_exception(failure_);
        return std::move(*value_);
    }
    /// Whether an exception of this type was thrown.
    template <typename Exception>
    [[nodiscard]] bool failed_with() const {
        if (failure_ == nullptr) return false;
        try {
            std::rethrow_exception(failure_);
        } catch (const Exception&) {
            return true;
        } catch (...) {
            return false;
        }
    }

  private:
    std::optional<T> value_;
    std::exception_ptr failure_;
};

/// Jobs run one after the other. A job object is handed over whole: run() on the worker, finish()
/// and its destruction on the loop thread, so what it carries (leases, say) never needs a lock.
class Worker {
  public:
    Worker(Loop& loop, std::string name);
    /// Forgets jobs that have not begun and waits for the one that runs.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Runs `work` on the worker, then `done(Outcome<result>)` on the loop thread. A job that runs
    /// for longer than `deadline` makes overdue() true: the watchdog's reason to stop the service.
    template <typename Work, typename Done>
    void post(std::chrono::seconds deadline, Work work, Done done) {
        using Result = std::invoke_result_t<Work&>;
        enqueue(std::make_unique<TypedJob<Result, Work, Done>>(deadline, std::move(work),
                                                               std::move(done)));
    }

    [[nodiscard]] bool overdue() const noexcept;
    /// No job waits or runs, and every finish() has been called.
    [[nodiscard]] bool idle() const noexcept { return unfinished_ == 0; }
    /// True once the thread has left its last job, after stop_soon().
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }
    /// Begins no further job.
    void stop_soon();

  private:
    struct Job {
        explicit Job(std::chrono::seconds job_deadline) : deadline(job_deadline) {}
        virtual ~Job() = default;
        virtual void run() noexcept = 0;
        virtual void finish() = 0;
        std::chrono::seconds deadline;
    };
    template <typename Result, typename Work, typename Done>
    struct TypedJob final : Job {
        TypedJob(std::chrono::seconds job_deadline, Work job_work, Done job_done)
            : Job(job_deadline), work(std::move(job_work)), done(std::move(job_done)) {}
        void run() noexcept override {
            try {
                outcome.emplace(work());
            } catch (...) {
                outcome.emplace(std::current_exception());
            }
        }
        void finish() override { done(std::move(*outcome)); }
        Work work;
        Done done;
        std::optional<Outcome<Result>> outcome;
    };

    void enqueue(std::unique_ptr<Job> job);
    void thread_main();
    void finish_jobs();

    std::string name_;
    Wakeup finished_wakeup_;
    std::mutex mutex_;  ///< guards the three below
    std::deque<std::unique_ptr<Job>> waiting_;
    std::deque<std::unique_ptr<Job>> finished_;
    bool stopping_ = false;
    std::condition_variable work_to_do_;
    std::atomic<uint64_t> deadline_nsec_{0};  ///< of the running job, 0 when none runs
    std::atomic<bool> stopped_{false};
    size_t unfinished_ = 0;  ///< loop thread only
    std::thread thread_;
};

}  // namespace glint
