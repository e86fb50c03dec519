// Every camera of the service; they come and go with the configuration.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "daemon/camera.hpp"

namespace glint {

/// Loop thread only.
class Cameras {
  public:
    struct Events {
        std::function<void(Camera&)> added;  ///< it has just been made
        std::function<void(Camera&)> going;  ///< it is about to be stopped and forgotten
    };
    explicit Cameras(Services services);

    /// Tells of every camera that there is.
    void listen(Events events);
    /// Makes a camera for each that there is none of yet, and does not start it.
    void add(const std::vector<CameraConfig>& wanted);
    /// Another configuration: a camera that is not as before is made anew and started, the others
    /// go on; other heaps are another configuration of every camera.
    void reload(const std::vector<CameraConfig>& wanted, const std::vector<std::string>& heaps);

    [[nodiscard]] auto begin() const noexcept { return cameras_.begin(); }
    [[nodiscard]] auto end() const noexcept { return cameras_.end(); }
    [[nodiscard]] size_t size() const noexcept { return cameras_.size(); }
    [[nodiscard]] bool empty() const noexcept { return cameras_.empty(); }
    /// Null when there is none.
    [[nodiscard]] Camera* find(std::string_view name) const noexcept;
    /// Neither a stream nor a job is left, also of those that have gone.
    [[nodiscard]] bool at_rest() const;

  private:
    void retire(std::unique_ptr<Camera> camera);
    void forget();

    Services services_;
    Events events_;
    std::vector<std::unique_ptr<Camera>> cameras_;
    std::vector<std::unique_ptr<Camera>> retired_;  ///< until their buffers and jobs are back
    Timer forget_timer_;
};

}  // namespace glint
