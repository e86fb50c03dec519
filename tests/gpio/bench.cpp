#include "tests/gpio/bench.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>

#include "tests/fakes/gpio_kernel.hpp"

namespace glint::test {
namespace {

namespace fs = std::filesystem;

class PlayedBench : public GpioBench {
  public:
    std::string add_chip(const std::string& label, const std::vector<std::string>& names) override {
        return kernel_.add_chip(label, names);
    }
    void remove_chip(const std::string& chip) override { kernel_.remove_chip(chip); }
    void drive(const std::string& chip, unsigned offset, bool high) override {
        kernel_.drive(chip, offset, high);
    }
    bool level(const std::string& chip, unsigned offset) override {
        return kernel_.line(chip, offset).high;
    }

  private:
    fakes::GpioKernel kernel_;
};

void write_attribute(const fs::path& path, std::string_view text) {
    std::ofstream file(path);
    file << text << std::flush;
    if (!file)
        throw std::runtime_error("cannot write " + std::string(text) + " to " + path.string());
}

std::string read_attribute(const fs::path& path) {
    std::ifstream file(path);
    std::string text;
    if (!std::getline(file, text)) throw std::runtime_error("cannot read " + path.string());
    return text;
}

/// Documentation/admin-guide/gpio/gpio-sim.rst: a folder in configfs for each chip.
class SimulatedBench : public GpioBench {
  public:
    ~SimulatedBench() override {
        std::error_code ignored;
        for (const auto& [chip, sim] : chips_) take_away(sim, ignored);
    }

    std::string add_chip(const std::string& label, const std::vector<std::string>& names) override {
        const fs::path folder = configfs / ("glint-" + std::to_string(count_++));
        const fs::path bank = folder / "bank";
        fs::create_directory(folder);
        fs::create_directory(bank);
        write_attribute(bank / "num_lines", std::to_string(names.size()));
        write_attribute(bank / "label", label);
        for (size_t offset = 0; offset < names.size(); ++offset) {
            if (names[offset].empty()) continue;
            const fs::path line = bank / ("line" + std::to_string(offset));
            fs::create_directory(line);
            write_attribute(line / "name", names[offset]);
        }
        write_attribute(folder / "live", "1");
        const std::string chip = read_attribute(bank / "chip_name");
        const fs::path device =
            fs::path("/sys/devices/platform") / read_attribute(folder / "dev_name") / chip;
        chips_[chip] = {folder, device};
        return chip;
    }

    void remove_chip(const std::string& chip) override {
        write_attribute(chips_.at(chip).folder / "live", "0");
    }

    void drive(const std::string& chip, unsigned offset, bool high) override {
        write_attribute(line(chip, offset) / "pull", high ? "pull-up" : "pull-down");
    }

    bool level(const std::string& chip, unsigned offset) override {
        return read_attribute(line(chip, offset) / "value") == "1";
    }

  private:
    struct Sim {
        fs::path folder;
        fs::path device;
    };

    static void take_away(const Sim& sim, std::error_code& ignored) {
        std::ofstream(sim.folder / "live") << "0" << std::flush;
        for (const auto& line : fs::directory_iterator(sim.folder / "bank", ignored)) {
            if (line.is_directory()) fs::remove(line.path(), ignored);
        }
        fs::remove(sim.folder / "bank", ignored);
        fs::remove(sim.folder, ignored);
    }

    [[nodiscard]] fs::path line(const std::string& chip, unsigned offset) const {
        return chips_.at(chip).device / ("sim_gpio" + std::to_string(offset));
    }

    inline static const fs::path configfs = "/sys/kernel/config/gpio-sim";
    std::map<std::string, Sim> chips_;
    unsigned count_ = 0;
};

}  // namespace

bool simulated_by_kernel() {
    const char* const wish = std::getenv("GLINT_GPIO_SIM");
    return wish != nullptr && std::string_view(wish) == "1";
}

std::unique_ptr<GpioBench> make_gpio_bench() {
    if (simulated_by_kernel()) return std::make_unique<SimulatedBench>();
    return std::make_unique<PlayedBench>();
}

}  // namespace glint::test
