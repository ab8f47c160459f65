// What programs mark by NVTX: ranges of a thread (push and pop), ranges from anywhere to anywhere (start and
// end), moments, and names of threads. Told to who listens; the ranges that a thread is in can be asked.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::ranges {

// A range or moment as its program describes it.
struct Description {
  std::string message, domain;  // an empty domain is the default one
  std::string category;         // its name, or its number; empty: none
  uint32_t category_number = 0;
  std::optional<uint32_t> color;  // ARGB
  std::optional<double> payload;  // a number that the program gave it
};

enum class Kind : uint8_t { thread, free, moment };

struct Mark {
  Kind kind = Kind::thread;
  Description description;
  uint64_t id = 0;               // counts the process's from 1
  int32_t thread = 0;            // of the system, in which it began
  int64_t began = 0, ended = 0;  // nanoseconds of the steady clock; equal for a moment
};

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void range_began(const Mark&) {}
  virtual void range_ended(const Mark&) {}  // a moment is told here alone
  virtual void thread_named(int32_t /*thread*/, std::string_view /*name*/) {}
};
// The first one is told, too, what was marked before it came: programs mark before they use a device.
void listen(std::shared_ptr<Listener> listener);
void stop_listening(const Listener& listener);

// Of the calling thread's ranges, the outermost first. Free ones that are open count for every thread and
// come behind.
std::vector<Mark> open_ranges();
bool any_open();  // cheap

// ---- what injected functions call
struct Domain;
// nullptr: the default one.
Domain* domain(std::string_view name);
void name_category(Domain* domain, uint32_t category, std::string_view name);
std::string category_name(const Domain* domain, uint32_t category);
const std::string& name_of(const Domain* domain);

int push(Domain* domain, Description description);  // how many the thread was in, in that domain
int pop(Domain* domain);                            // the same for the one that ends; -1: it was in none
uint64_t start(Domain* domain, Description description);
void end(uint64_t id);
void moment(Domain* domain, Description description);
void name_thread(int32_t thread, std::string_view name);

}  // namespace heddle::ranges
