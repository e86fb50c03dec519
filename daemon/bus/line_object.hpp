// org.glintd1.Line on /org/glintd1/line/NAME.
#pragma once

#include <optional>
#include <string>

#include "daemon/bus/connection.hpp"
#include "daemon/line.hpp"

namespace glint::bus {

class LineObject {
  public:
    LineObject(const Connection& connection, Loop& loop, Line& line);
    ~LineObject();
    LineObject(const LineObject&) = delete;
    LineObject& operator=(const LineObject&) = delete;

    [[nodiscard]] const Line& line() const noexcept { return line_; }

    void get_role(sd_bus_message* reply) const;
    void get_problem(sd_bus_message* reply) const;
    void get_active(sd_bus_message* reply) const;
    void get_edges(sd_bus_message* reply) const;
    void get_edges_missed(sd_bus_message* reply) const;
    void get_edges_missed_exact(sd_bus_message* reply) const;
    void set(sd_bus_message* call);

  private:
    void edge(const gpio::Edge& edge);
    void send_edge();
    void changed() const;

    const Connection& connection_;
    Line& line_;
    std::string path_;
    std::optional<gpio::Edge> waiting_;  ///< the newest that has not been signalled
    bool resting_ = false;               ///< one has just been
    Timer rest_;
    Slot slot_;
};

}  // namespace glint::bus
