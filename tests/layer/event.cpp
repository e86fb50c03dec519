// What is told of events, and when.
#include <chrono>
#include <thread>

#include "tests/layer/handlers.hpp"
#include "tests/layer/layer.hpp"

namespace glint::layer {
namespace {

struct Callback {
    void(CL_CALLBACK* call)(cl_event, cl_int, void*);
    void* data;
    std::chrono::milliseconds delay;
};

/// A thread for each: a driver's threads must not be held up, and the fault is rare.
void CL_CALLBACK call_later(cl_event event, cl_int status, void* data) {
    const auto callback = std::unique_ptr<Callback>(static_cast<Callback*>(data));
    target().clRetainEvent(event);
    std::thread([event, status, later = *callback] {
        std::this_thread::sleep_for(later.delay);
        later.call(event, status, later.data);
        target().clReleaseEvent(event);
    }).detach();
}

}  // namespace

/// A shadow's map is the driver's read: the program asked for a map.
cl_int CL_API_CALL on_clGetEventInfo(cl_event event, cl_event_info name, size_t size, void* value,
                                     size_t* size_ret) {
    if (name == CL_EVENT_COMMAND_TYPE) {
        const auto info = layer().objects.events.find(event);
        if (info != nullptr && info->type) {
            return hand_out(to_bytes(Type::uint32, *info->type), size, value, size_ret);
        }
    }
    return target().clGetEventInfo(event, name, size, value, size_ret);
}

cl_int CL_API_CALL on_clSetEventCallback(cl_event event, cl_int type,
                                         void(CL_CALLBACK* call)(cl_event, cl_int, void*),
                                         void* data) {
    const auto fault = layer().faults.on_call(Function::clSetEventCallback);
    if (!fault) return target().clSetEventCallback(event, type, call, data);
    switch (fault->action) {
        case Fault::Action::never:
            layer().account.note("clSetEventCallback", "", "a fault: the callback never comes");
            return CL_SUCCESS;
        case Fault::Action::sync: {
            const cl_int code = target().clWaitForEvents(1, &event);
            call(event, code == CL_SUCCESS ? type : code, data);
            return CL_SUCCESS;
        }
        case Fault::Action::late: {
            auto later = std::make_unique<Callback>(Callback{call, data, fault->delay});
            const cl_int code = target().clSetEventCallback(event, type, call_later, later.get());
            if (code == CL_SUCCESS) later.release();
            return code;
        }
        default:
            break;
    }
    const cl_int code = layer().play(*fault, Function::clSetEventCallback);
    return code != CL_SUCCESS ? code : target().clSetEventCallback(event, type, call, data);
}

}  // namespace glint::layer
