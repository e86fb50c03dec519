#include "daemon/worker.hpp"

#include <pthread.h>

namespace glint {

Worker::Worker(Loop& loop, std::string name)
    : name_(std::move(name)),
      finished_wakeup_(loop, [this] { finish_jobs(); }),
      thread_([this] { thread_main(); }) {}

Worker::~Worker() {
    stop_soon();
    thread_.join();
}

void Worker::stop_soon() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    work_to_do_.notify_one();
}

bool Worker::overdue() const noexcept {
    const uint64_t deadline = deadline_nsec_;
    return deadline != 0 && now_nsec() > deadline;
}

void Worker::enqueue(std::unique_ptr<Job> job) {
    ++unfinished_;
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
    work_to_do_.notify_one();
}

void Worker::thread_main() {
    ::pthread_setname_np(::pthread_self(), name_.c_str());
    std::unique_lock lock(mutex_);
    while (true) {
        work_to_do_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        if (stopping_) break;
        std::unique_ptr<Job> job = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        const auto deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(job->deadline);
        deadline_nsec_ = now_nsec() + static_cast<uint64_t>(deadline.count());
        job->run();
        deadline_nsec_ = 0;
        lock.lock();
        finished_.push_back(std::move(job));
        finished_wakeup_.signal();
    }
    stopped_ = true;
}

void Worker::finish_jobs() {
    std::deque<std::unique_ptr<Job>> jobs;
    {
        const std::lock_guard lock(mutex_);
        jobs.swap(finished_);
    }
    // One that throws ends the service (the loop sees to that), but not before its neighbours,
    // whose leases and replies would be lost.
    std::exception_ptr first;
    for (const auto& job : jobs) {
        --unfinished_;
        try {
            job->finish();
        } catch (...) {
            if (first == nullptr) first = std::current_exception();
        }
    }
    if (first != nullptr) std::rethrow_exception(first);
}

}  // namespace glint
