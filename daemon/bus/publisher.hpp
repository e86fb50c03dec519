// Which results are signalled, and the signals themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/bus/connection.hpp"
#include "daemon/pipeline.hpp"

namespace glint::bus {

/// Bins as a(sau): the channels of one region. Shared by the signal and by GetHistogram.
void append_channels(sd_bus_message* message, const Measurement& measurement, size_t region);

class Publisher {
  public:
    Publisher(const Connection& connection, std::string path, uint64_t interval_usec,
              std::vector<std::string> histograms);

    /// Signals Measured and the histograms asked for. False: merged into a later one, because the
    /// interval has not passed or the bus does not keep up.
    [[nodiscard]] bool publish(const Measurement& measurement);

    [[nodiscard]] uint64_t interval_usec() const noexcept { return interval_usec_; }
    void set_interval_usec(uint64_t usec) noexcept { interval_usec_ = usec; }
    [[nodiscard]] const std::vector<std::string>& histograms() const noexcept {
        return histograms_;
    }
    void set_histograms(std::vector<std::string> names) { histograms_ = std::move(names); }

  private:
    [[nodiscard]] bool due(uint64_t now_usec) noexcept;
    void send_measured(const Measurement& measurement) const;
    void send_histogram(const Measurement& measurement, size_t region) const;

    const Connection& connection_;
    std::string path_;
    uint64_t interval_usec_;
    std::vector<std::string> histograms_;
    uint64_t next_usec_ = 0;
};

}  // namespace glint::bus
