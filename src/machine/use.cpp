#include "machine/use.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>

#include "machine/visible_devices.h"
#include "support/setting.h"

namespace heddle::machine {

namespace {

constexpr uint64_t magic = 0x32304C4445454148;  // changes with the layout
constexpr std::size_t most_users = 128;

struct Slot {
  std::atomic<int32_t> process;  // 0: free
  std::atomic<uint32_t> contexts;
  std::atomic<uint64_t> started;  // when, by /proc: a number of a process is used again
  std::atomic<uint64_t> bytes;
  std::array<char, 104> program;
};

std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Field 22 of /proc/PID/stat, counted behind the name's parenthesis; 0: no such process, or one that has
// ended and waits for its parent.
uint64_t start_time(int32_t process) {
  const std::string line = first_line("/proc/" + std::to_string(process) + "/stat");
  std::size_t at = line.rfind(')');
  if (at == line.npos || line.compare(at, 3, ") Z") == 0) return 0;
  for (int field = 2; field < 22 && at != line.npos; ++field) at = line.find(' ', at + 1);
  return at == line.npos ? 0 : std::strtoull(line.c_str() + at, nullptr, 10);
}

// A file lock of the device, for as long as the object lives.
class Locked {
 public:
  explicit Locked(int descriptor) : descriptor_(descriptor) {
    while (flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Locked() { flock(descriptor_, LOCK_UN); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  const int descriptor_;
};

bool make_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat found{};
  return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == getuid();
}

}  // namespace

struct DeviceFile {
  std::atomic<uint64_t> magic;
  std::atomic<uint32_t> mode;
  std::atomic<uint32_t> persistence;
  std::atomic<uint32_t> ecc, unused;  // 0: as recorded, 1: off, 2: on
  std::array<Slot, most_users> slots;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

namespace {

bool alive(const Slot& slot) {
  const int32_t process = slot.process.load();
  return process != 0 && start_time(process) == slot.started.load();
}

void free_slot(Slot& slot) {
  slot.contexts = 0;
  slot.bytes = 0;
  slot.process = 0;
}

Slot* own_slot(DeviceFile& file) {
  const auto found =
      std::ranges::find_if(file.slots, [](const Slot& one) { return one.process == getpid(); });
  return found == file.slots.end() ? nullptr : &*found;
}

}  // namespace

std::string_view name(ComputeMode mode) {
  switch (mode) {
    case ComputeMode::standard: return "Default";
    case ComputeMode::exclusive_thread: return "Exclusive_Thread";
    case ComputeMode::prohibited: return "Prohibited";
    case ComputeMode::exclusive_process: return "Exclusive_Process";
  }
  return "Default";
}

std::string state_folder() {
  if (const char* given = setting("HEDDLE_STATE_DIR"); given != nullptr && *given != '\0')
    return make_folder(given) ? given : "";
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime == '/') {
    const std::string folder = std::string(runtime) + "/heddle";
    if (make_folder(folder)) return folder;
  }
  const std::string folder = "/tmp/heddle-" + std::to_string(getuid());
  return make_folder(folder) ? folder : "";
}

DeviceUse* DeviceUse::of(const Uuid& uuid) {
  static std::mutex mutex;
  static auto& known = *new std::map<Uuid, DeviceUse*>;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(uuid); found != known.end()) return found->second;
  const std::string folder = state_folder();
  if (folder.empty()) return nullptr;
  const int descriptor =
      open((folder + '/' + uuid_text(uuid)).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return nullptr;
  const Locked locked(descriptor);
  struct stat found{};
  if (fstat(descriptor, &found) != 0 || ftruncate(descriptor, sizeof(DeviceFile)) != 0) {
    close(descriptor);
    return nullptr;
  }
  void* memory = mmap(nullptr, sizeof(DeviceFile), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) {
    close(descriptor);
    return nullptr;
  }
  auto* file = static_cast<DeviceFile*>(memory);
  if (file->magic != magic) {  // new, or of another version
    std::memset(memory, 0, sizeof(DeviceFile));
    file->magic = magic;
  }
  return known[uuid] = new DeviceUse(file, descriptor);
}

DeviceUse* DeviceUse::known(const Uuid& uuid) {
  const std::string folder = state_folder();
  return !folder.empty() && access((folder + '/' + uuid_text(uuid)).c_str(), F_OK) == 0 ? of(uuid) : nullptr;
}

ComputeMode DeviceUse::mode() const { return static_cast<ComputeMode>(std::min(file_->mode.load(), 3u)); }

void DeviceUse::set_mode(ComputeMode mode) {
  const Locked locked(descriptor_);
  file_->mode = static_cast<uint32_t>(mode);
}

bool DeviceUse::persistence() const { return file_->persistence != 0; }
void DeviceUse::set_persistence(bool on) { file_->persistence = on ? 1 : 0; }

std::optional<bool> DeviceUse::ecc() const {
  const uint32_t is = file_->ecc;
  return is == 0 ? std::nullopt : std::optional(is == 2);
}
void DeviceUse::set_ecc(bool on) { file_->ecc = on ? 2 : 1; }

std::vector<User> DeviceUse::users() const {
  std::vector<User> users;
  for (const Slot& slot : file_->slots) {
    if (slot.contexts == 0 || !alive(slot)) continue;
    const auto end = std::ranges::find(slot.program, '\0');
    users.push_back({slot.process, slot.bytes, std::string(slot.program.begin(), end)});
  }
  std::ranges::sort(users, {}, &User::process);
  return users;
}

Status<> DeviceUse::begin_context() {
  const Locked locked(descriptor_);
  const ComputeMode now = mode();
  if (now == ComputeMode::prohibited) return Error{"its compute mode is Prohibited"};
  for (Slot& slot : file_->slots) {
    if (slot.process != 0 && !alive(slot)) free_slot(slot);
    if (now == ComputeMode::standard || slot.contexts == 0) continue;
    if (slot.process == getpid() && now == ComputeMode::exclusive_process) continue;
    return Error{"its compute mode is " + std::string(name(now)) + ", and process " +
                 std::to_string(slot.process) + " has it"};
  }
  Slot* slot = own_slot(*file_);
  if (slot == nullptr) {
    const auto free = std::ranges::find_if(file_->slots, [](const Slot& one) { return one.process == 0; });
    if (free == file_->slots.end()) return Unit{};  // not seen by others, but it works
    slot = &*free;
    slot->contexts = 0;
    slot->bytes = 0;
    slot->started = start_time(getpid());
    std::array<char, 104> program{};
    const ssize_t length = readlink("/proc/self/exe", program.data(), program.size() - 1);
    program[length > 0 ? static_cast<std::size_t>(length) : 0] = '\0';
    slot->program = program;
    slot->process = getpid();
  }
  ++slot->contexts;
  return Unit{};
}

void DeviceUse::end_context() {
  const Locked locked(descriptor_);
  Slot* slot = own_slot(*file_);
  // The slot stays the process's: it goes on telling there how much it has.
  if (slot != nullptr && slot->contexts != 0) --slot->contexts;
}

std::atomic<uint64_t>* DeviceUse::bytes() {
  Slot* slot = own_slot(*file_);
  return slot == nullptr ? nullptr : &slot->bytes;
}

}  // namespace heddle::machine
