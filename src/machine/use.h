// What processes of one user on one host know of each other's use of a device: its compute mode, who has
// contexts on it, and how much memory. Kept in a small file for each device in a folder of the user's, which
// all of them map; where that folder cannot be made, a process is alone.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::machine {

using Uuid = std::array<unsigned char, 16>;

// As the APIs number them (CUcomputemode, nvmlComputeMode_t).
enum class ComputeMode : uint32_t {
  standard = 0,           // any process, any number of contexts
  exclusive_thread = 1,   // one context (guide 8.3; drivers of today take it for exclusive_process)
  prohibited = 2,         // none
  exclusive_process = 3,  // one process, any number of contexts
};
std::string_view name(ComputeMode);  // "Default", "Exclusive_Process", ... as nvidia-smi says

struct User {
  int32_t process = 0;
  uint64_t bytes = 0;  // allocated on the device
  std::string program;
};

struct DeviceFile;

// This process's or another's view of a device. Objects stay for ever.
class DeviceUse {
 public:
  // HEDDLE_STATE_DIR, XDG_RUNTIME_DIR/heddle or /tmp/heddle-<user>. nullptr: no such folder can be had.
  static DeviceUse* of(const Uuid& uuid);
  // The same, but nullptr where no process has left anything of the device.
  static DeviceUse* known(const Uuid& uuid);

  ComputeMode mode() const;
  void set_mode(ComputeMode mode);
  bool persistence() const;
  void set_persistence(bool on);
  // Error correction as somebody switched it; nothing: as the device's record has it. Processes that begin
  // later see it.
  std::optional<bool> ecc() const;
  void set_ecc(bool on);
  // That live and have a context.
  std::vector<User> users() const;

  // This process makes a context. The error says who is in the way.
  Status<> begin_context();
  void end_context();
  // Where this process tells how much it has; nullptr: not a user.
  std::atomic<uint64_t>* bytes();

 private:
  explicit DeviceUse(DeviceFile* file, int descriptor) : file_(file), descriptor_(descriptor) {}
  DeviceFile* const file_;
  const int descriptor_;
};

// The folder, made if need be; empty: none.
std::string state_folder();

}  // namespace heddle::machine
