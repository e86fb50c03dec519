#include "daemon/cameras.hpp"

#include <algorithm>

namespace glint {

Cameras::Cameras(Services services)
    : services_(std::move(services)), forget_timer_(services_.loop, [this] { forget(); }) {}

void Cameras::listen(Events events) {
    events_ = std::move(events);
    if (!events_.added) return;
    for (const auto& camera : cameras_) events_.added(*camera);
}

void Cameras::add(const std::vector<CameraConfig>& wanted) {
    for (const CameraConfig& config : wanted) {
        if (find(config.name) != nullptr) continue;
        Camera& camera = *cameras_.emplace_back(std::make_unique<Camera>(services_, config));
        services_.gpu(camera);
        if (events_.added) events_.added(camera);
    }
}

void Cameras::reload(const std::vector<CameraConfig>& wanted,
                     const std::vector<std::string>& heaps) {
    const bool same_heaps = services_.heaps == heaps;
    services_.heaps = heaps;
    const auto stays = [&](const std::unique_ptr<Camera>& camera) {
        return same_heaps && std::ranges::find(wanted, camera->config()) != wanted.end();
    };
    const auto going = std::stable_partition(cameras_.begin(), cameras_.end(), stays);
    std::vector<std::unique_ptr<Camera>> gone(std::make_move_iterator(going),
                                              std::make_move_iterator(cameras_.end()));
    cameras_.erase(going, cameras_.end());
    std::vector<std::string> started;
    for (const auto& camera : cameras_) started.push_back(camera->config().name);
    for (const auto& camera : gone) {
        started.push_back(camera->config().name);  // by the end of the old one
        if (events_.going) events_.going(*camera);
        camera->listen({});
    }
    add(wanted);
    for (auto& camera : gone) retire(std::move(camera));
    for (const auto& camera : cameras_) {
        const bool is_new = std::ranges::find(started, camera->config().name) == started.end();
        if (is_new) camera->start({});
    }
}

Camera* Cameras::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find_if(
        cameras_, [&](const auto& camera) { return camera->config().name == name; });
    return found == cameras_.end() ? nullptr : found->get();
}

bool Cameras::at_rest() const {
    return std::ranges::all_of(cameras_, &Camera::at_rest) &&
           std::ranges::all_of(retired_, &Camera::at_rest);
}

/// Its successor, which is there already, may want the same device and starts when it has ended: at
/// once, if it had nothing to end.
void Cameras::retire(std::unique_ptr<Camera> camera) {
    camera->stop([this, name = camera->config().name](const std::optional<Failure>&) {
        if (Camera* successor = find(name)) successor->start({});
    });
    retired_.push_back(std::move(camera));
    forget_timer_.arm(microseconds{0});
}

/// Not from within a camera's own calls, so later and again.
void Cameras::forget() {
    constexpr std::chrono::milliseconds next_look{50};
    std::erase_if(retired_, &Camera::forgotten);
    if (!retired_.empty()) forget_timer_.arm(next_look);
}

}  // namespace glint
