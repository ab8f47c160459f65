// What a process's programs have asked CUPTI for: kinds of records, callbacks, settings.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "api/cupti/call.h"
#include "api/cupti/calls_table.h"
#include "api/cupti/clock.h"
#include "api/cupti/records.h"

namespace heddle::runtime {
class Context;
class System;
}  // namespace heddle::runtime

namespace heddle::cupti {

class Watch;

inline constexpr std::size_t kind_count = 64;

// Those who are called back: one at a time, as in CUDA's own.
struct Subscriber {
  CUpti_CallbackFunc callback = nullptr;
  void* data = nullptr;
};

class Session {
 public:
  static Session& get();  // never destroyed

  Timestamps& clock() { return clock_; }
  Records& records() { return records_; }

  // ---- kinds of records
  Status enable(CUpti_ActivityKind kind, bool on);
  Status enable_in(uint64_t context, CUpti_ActivityKind kind, bool on);
  bool wants(CUpti_ActivityKind kind) const { return kinds_[kind].load(std::memory_order_relaxed); }
  // In that context, or everywhere.
  bool wants_in(uint64_t context, CUpti_ActivityKind kind) const;
  bool wants_any() const { return wants_any_.load(std::memory_order_relaxed); }
  // Of the calls of an API all are told, but for those that the program does not want.
  void want_call(CallNumber call, bool on);
  bool wants_call(CallNumber call) const;

  // ---- callbacks
  Answer<Subscriber*> subscribe(CUpti_CallbackFunc callback, void* data);
  Status unsubscribe(const Subscriber* subscriber);
  Status check(const Subscriber* subscriber) const;
  bool calls_back(CUpti_CallbackDomain domain, CUpti_CallbackId id) const {
    return callbacks_[domain][id].load(std::memory_order_relaxed);
  }
  bool calls_back_any(CUpti_CallbackDomain domain) const {
    return any_callback_[domain].load(std::memory_order_relaxed);
  }
  void set_calls_back(CUpti_CallbackDomain domain, std::optional<CUpti_CallbackId> id, bool on);
  // Unless the calling thread is in a callback already: what that calls is told to nobody.
  void call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  static bool in_callback();

  // ---- settings
  std::atomic<bool> system_thread_ids{false};
  Status set_attribute(CUpti_ActivityAttribute attribute, std::size_t* bytes, const void* value);
  Status get_attribute(CUpti_ActivityAttribute attribute, std::size_t* bytes, void* value);
  uint32_t thread_id() const;  // of the calling thread, as records have it

  void finalize();  // as if nothing had been asked for
  // The process's devices are there from now on.
  void attach(runtime::System& system);
  runtime::System* system() const { return system_.load(std::memory_order_acquire); }

 private:
  Session();
  void watch_if_wanted();  // with mutex_

  Timestamps clock_;
  Records records_{clock_};
  mutable std::mutex mutex_;
  std::atomic<runtime::System*> system_{nullptr};
  std::shared_ptr<Watch> watch_;
  bool listening_ = false, watching_ = false, hears_marks_ = false;
  std::array<std::atomic<bool>, kind_count> kinds_{};
  std::atomic<bool> any_in_context_{false}, wants_any_{false};
  std::map<std::pair<uint64_t, CUpti_ActivityKind>, bool> in_context_;
  std::array<std::array<std::atomic<bool>, most_callback_ids>, CUPTI_CB_DOMAIN_SIZE> unwanted_{},
      callbacks_{};
  std::array<std::atomic<bool>, CUPTI_CB_DOMAIN_SIZE> any_callback_{};
  std::optional<Subscriber> subscriber_;
  std::array<uint64_t, CUPTI_ACTIVITY_ATTR_COUNT> attributes_{};
};

}  // namespace heddle::cupti
