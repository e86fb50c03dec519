#include "daemon/bus/line_object.hpp"

#include <fmt/format.h>

#include "daemon/bus/message.hpp"
#include "daemon/names.hpp"

namespace glint::bus {
namespace {

using L = LineObject;

/// Edges may come by the thousand a second; the counters tell of each.
constexpr std::chrono::milliseconds between_signals{100};

const sd_bus_vtable* line_vtable() {
    constexpr uint64_t changes = SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE;
    static const sd_bus_vtable vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("Role", "s", (property<L, &L::get_role>), 0, SD_BUS_VTABLE_PROPERTY_CONST),
        SD_BUS_PROPERTY("Problem", "s", (property<L, &L::get_problem>), 0, changes),
        SD_BUS_PROPERTY("Active", "b", (property<L, &L::get_active>), 0, 0),
        SD_BUS_PROPERTY("Edges", "t", (property<L, &L::get_edges>), 0, 0),
        SD_BUS_PROPERTY("EdgesMissed", "t", (property<L, &L::get_edges_missed>), 0, 0),
        SD_BUS_PROPERTY("EdgesMissedExact", "b", (property<L, &L::get_edges_missed_exact>), 0,
                        SD_BUS_VTABLE_PROPERTY_CONST),
        SD_BUS_METHOD_WITH_NAMES("Set", "b", SD_BUS_PARAM(active), "", , (method<L, &L::set>),
                                 SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_SIGNAL_WITH_NAMES(
            "Edge", "tbt", SD_BUS_PARAM(timestamp_nsec) SD_BUS_PARAM(rising) SD_BUS_PARAM(sequence),
            0),
        SD_BUS_VTABLE_END};
    return vtable;
}

}  // namespace

LineObject::LineObject(const Connection& connection, Loop& loop, Line& line)
    : connection_(connection),
      line_(line),
      path_(fmt::format("{}/{}", names::line_path_prefix, line.config().name)),
      rest_(loop,
            [this] {
                resting_ = false;
                if (waiting_) send_edge();
            }),
      slot_(connection.export_object(path_, names::line_interface, line_vtable(), this)) {
    line_.listen(
        {.edge = [this](const gpio::Edge& one) { edge(one); }, .changed = [this] { changed(); }});
    connection_.announce(path_);
}

LineObject::~LineObject() {
    line_.listen({});
    connection_.withdraw(path_);
}

void LineObject::edge(const gpio::Edge& edge) {
    waiting_ = edge;
    if (!resting_) send_edge();
}

void LineObject::send_edge() {
    sd_bus_emit_signal(connection_.get(), path_.c_str(), names::line_interface, "Edge", "tbt",
                       waiting_->timestamp_nsec, static_cast<int>(waiting_->rising),
                       waiting_->sequence);
    waiting_.reset();
    resting_ = true;
    rest_.arm(between_signals);
}

void LineObject::changed() const {
    sd_bus_emit_properties_changed(connection_.get(), path_.c_str(), names::line_interface,
                                   "Problem", nullptr);
}

void LineObject::get_role(sd_bus_message* reply) const {
    append(reply, "s", name_of(line_.config().role));
}

void LineObject::get_problem(sd_bus_message* reply) const {
    append(reply, "s", line_.problem().c_str());
}

void LineObject::get_active(sd_bus_message* reply) const {
    append(reply, "b", static_cast<int>(line_.active()));
}

void LineObject::get_edges(sd_bus_message* reply) const {
    append(reply, "t", line_.edges());
}

void LineObject::get_edges_missed(sd_bus_message* reply) const {
    append(reply, "t", line_.missed());
}

void LineObject::get_edges_missed_exact(sd_bus_message* reply) const {
    append(reply, "b", static_cast<int>(gpio::InputLine::missed_is_exact()));
}

void LineObject::set(sd_bus_message* call) {
    int active = 0;
    read(call, "b", &active);
    line_.set(active != 0);
    check_errno(sd_bus_reply_method_return(call, ""), "cannot reply");
}

}  // namespace glint::bus
