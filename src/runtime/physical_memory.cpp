#include "runtime/physical_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "runtime/memory.h"
#include "support/file_limit.h"

namespace heddle::runtime {

namespace {

// Behind the memory, in a page of its own.
struct Trailer {
  static constexpr uint64_t magic_number = 0x31304d454d444448;  // "HDDMEM01"
  uint64_t magic = magic_number, bytes = 0;
  PhysicalMemory::Label label{};
};
constexpr uint64_t trailer_bytes = AddressSpace::page_bytes;

Error failed(const std::string& what) {
  return error(ErrorCode::out_of_memory, what + ": " + std::string(std::strerror(errno)));
}

uint64_t identity_of(const struct stat& file) {
  return file.st_ino ^ uint64_t { file.st_dev } << 48;
}

}  // namespace

Outcome<std::unique_ptr<PhysicalMemory>> PhysicalMemory::create(uint64_t bytes, const Label& label,
                                                                MemoryBudget* budget) {
  if (bytes == 0 || bytes % AddressSpace::page_bytes != 0 || bytes > uint64_t{1} << 47)
    return invalid("memory of " + std::to_string(bytes) + " bytes, which are no whole pages");
  if (budget != nullptr)
    if (Done taken = budget->take(bytes); !taken) return taken.error();
  const auto give_back = [&] {
    if (budget != nullptr) budget->give(bytes);
  };
  const int descriptor = memfd_create("heddle", MFD_CLOEXEC);
  if (descriptor < 0) {
    give_back();
    return failed("a file in memory");
  }
  std::unique_ptr<PhysicalMemory> made(new PhysicalMemory(descriptor, bytes));
  made->budget_ = budget;
  made->label_ = label;
  Trailer trailer;
  trailer.bytes = bytes;
  trailer.label = label;
  struct stat file{};
  const FileLimitIsAnError guard;
  if (ftruncate(descriptor, static_cast<off_t>(bytes + trailer_bytes)) != 0 ||
      pwrite(descriptor, &trailer, sizeof trailer, static_cast<off_t>(bytes)) != sizeof trailer ||
      fstat(descriptor, &file) != 0)
    return failed("a file in memory of " + std::to_string(bytes) + " bytes");
  made->identity_ = identity_of(file);
  return made;
}

Outcome<std::unique_ptr<PhysicalMemory>> PhysicalMemory::open(int descriptor) {
  const auto refused = [&](const std::string& why) {
    return invalid("descriptor " + std::to_string(descriptor) + " is no shared memory of a device: " + why);
  };
  struct stat file{};
  if (descriptor < 0 || fstat(descriptor, &file) != 0) return refused("it is not open");
  const auto size = static_cast<uint64_t>(file.st_size);
  if (!S_ISREG(file.st_mode) || size <= trailer_bytes || size % AddressSpace::page_bytes != 0)
    return refused("it is another kind of file");
  Trailer trailer;
  if (pread(descriptor, &trailer, sizeof trailer, static_cast<off_t>(size - trailer_bytes)) !=
          sizeof trailer ||
      trailer.magic != Trailer::magic_number || trailer.bytes != size - trailer_bytes)
    return refused("it is another kind of file");
  const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return failed("a descriptor");
  std::unique_ptr<PhysicalMemory> made(new PhysicalMemory(own, trailer.bytes));
  made->label_ = trailer.label;
  made->identity_ = identity_of(file);
  return made;
}

PhysicalMemory::~PhysicalMemory() {
  close(descriptor_);
  if (budget_ != nullptr) budget_->give(bytes_);
}

Outcome<int> PhysicalMemory::duplicate() const {
  const int copy = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return failed("a descriptor");
  return copy;
}

Done PhysicalMemory::map(uint64_t begin, uint64_t bytes, uint64_t offset, bool accessible) const {
  if (offset > bytes_ || bytes > bytes_ - offset)
    return invalid(std::to_string(bytes) + " bytes at " + std::to_string(offset) + " of memory that has " +
                   std::to_string(bytes_));
  void* const place = reinterpret_cast<void*>(begin);
  if (mmap(place, bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_SHARED | MAP_FIXED, descriptor_,
           static_cast<off_t>(offset)) == MAP_FAILED)
    return failed("mapping " + std::to_string(bytes) + " bytes");
  if (bytes >= AddressSpace::huge_page_bytes) madvise(place, bytes, MADV_HUGEPAGE);
  return Unit{};
}

Done PhysicalMemory::take_contents(uint64_t begin) const {
  constexpr uint64_t block = 16 * AddressSpace::page_bytes;
  for (uint64_t at = 0; at < bytes_; at += block) {
    const uint64_t bytes = std::min(block, bytes_ - at);
    const auto* const from = reinterpret_cast<const char*>(begin + at);
    // Zeros are there already, and take no memory as long as nobody writes them.
    if (from[0] == 0 && std::memcmp(from, from + 1, bytes - 1) == 0) continue;
    if (pwrite(descriptor_, from, bytes, static_cast<off_t>(at)) != static_cast<ssize_t>(bytes))
      return failed("moving " + std::to_string(bytes_) + " bytes to a file in memory");
  }
  return Unit{};
}

void PhysicalMemory::discard(uint64_t offset, uint64_t bytes) const {
  (void)fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                  static_cast<off_t>(bytes));
}

}  // namespace heddle::runtime
