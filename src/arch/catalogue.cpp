// The devices of spec/devices, each read when somebody first asks for it, and users' own.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include "arch/device.h"
#include "arch/record.h"
#include "arch/tables.h"
#include "support/spelling.h"

namespace heddle::arch {

namespace {

constexpr std::size_t longest_record = 1 << 20;

// What is left when case and separators do not count: "GeForce GTX 480" -> "geforcegtx480".
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+') out += c;
  }
  return out;
}

// "geforcegtx480" ends in "gtx480", and what stands before is one of its leading words.
bool names_without_brand(std::string_view full, std::string_view wanted) {
  for (std::size_t blank = full.find(' '); blank != full.npos; blank = full.find(' ', blank + 1)) {
    if (plain(full.substr(blank + 1)) == wanted) return true;
  }
  return false;
}

// One place in memory for each device, so that two ways to it give the same address.
class Catalogue {
 public:
  static Catalogue& get() {
    static auto* catalogue = new Catalogue;  // devices are used until the process has ended
    return *catalogue;
  }

  const Device& at(std::size_t index) {
    std::call_once(read_[index], [&] {
      const BuiltIn& one = built_in_devices()[index];
      // Good by construction: the build has read it, and device_test reads all.
      auto device = read_record("built-in " + std::string(one.id), one.id, one.record);
      new (&devices_[index]) Device(device ? std::move(*device) : Device{});
    });
    return devices_[index];
  }

  std::span<const Device> all() {
    for (std::size_t i = 0; i < built_in_devices().size(); ++i) at(i);
    return {devices_, built_in_devices().size()};
  }

  Result<const Device*> own(std::string_view file) {
    const std::filesystem::path path{std::string(file)};
    // Files that are like one another: more of them than anybody has written is a circle.
    static thread_local unsigned depth = 0;
    constexpr unsigned deepest = 32;
    if (depth == deepest) return Error{std::string(file) + ": goes in a circle"};
    struct Deeper {
      Deeper() { ++depth; }
      ~Deeper() { --depth; }
    } const deeper;
    std::ifstream in(path, std::ios::binary);
    std::error_code ignored;
    if (!in || std::filesystem::is_directory(path, ignored))
      return Error{std::string(file) + ": " + (in ? "is a folder" : std::strerror(errno))};
    std::string text;
    text.resize(longest_record + 1);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > longest_record)
      return Error{std::string(file) + ": a record has at most " + std::to_string(longest_record) + " bytes"};
    auto device = read_record(file, path.stem().string(), text);
    if (!device) return Error{device.error()};
    const std::lock_guard lock(mutex_);
    auto& place = own_[{std::filesystem::weakly_canonical(path, ignored).string(), std::move(text)}];
    if (place == nullptr) place = std::make_unique<const Device>(std::move(*device));
    return place.get();
  }

 private:
  Catalogue()
      : read_(new std::once_flag[built_in_devices().size()]),
        devices_(std::allocator<Device>().allocate(built_in_devices().size())) {}

  const std::unique_ptr<std::once_flag[]> read_;
  Device* const devices_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<const Device>> own_;  // by file and text
};

}  // namespace

std::span<const Device> all_devices() { return Catalogue::get().all(); }
const Device& default_device() { return Catalogue::get().at(default_built_in()); }

Result<const Device*> find_device(std::string_view name) {
  if (name.find('/') != name.npos || name.ends_with(".toml")) return Catalogue::get().own(name);
  const auto devices = built_in_devices();
  const std::string wanted = plain(name);
  const auto found = [&](const BuiltIn& one) {
    return &Catalogue::get().at(static_cast<std::size_t>(&one - devices.data()));
  };
  if (!wanted.empty()) {
    for (const BuiltIn& one : devices) {
      if (plain(one.id) == wanted) return found(one);
    }
    for (const BuiltIn& one : devices) {
      if (plain(one.name) == wanted) return found(one);
    }
    for (const BuiltIn& one : devices) {
      if (names_without_brand(one.name, wanted)) return found(one);
    }
  }
  NearestWord nearest(wanted);
  for (const BuiltIn& one : devices) nearest.consider(one.id);
  std::string message = "no device is called '" + std::string(name) + "'";
  if (!nearest.best().empty()) {
    message += "; did you mean '" + std::string(nearest.best()) + "'?";
  } else {
    message += "; `heddle devices` lists the " + std::to_string(devices.size()) + " that there are";
  }
  return Error{std::move(message)};
}

std::string_view record(const Device& device) {
  for (const BuiltIn& one : built_in_devices()) {
    if (one.id == device.id && one.name == device.name) return one.record;
  }
  return {};
}

}  // namespace heddle::arch
