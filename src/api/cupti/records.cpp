#include "api/cupti/records.h"

#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>

#include "api/cupti/layouts.h"

namespace heddle::cupti {

namespace {

constexpr std::size_t many_bytes = 256 << 10;

}  // namespace

void Records::set_callbacks(Callbacks callbacks) {
  const std::lock_guard lock(mutex_);
  callbacks_ = callbacks;
}

bool Records::has_callbacks() {
  const std::lock_guard lock(mutex_);
  return callbacks_.request != nullptr;
}

void Records::set_times_of(TimesOf times) {
  const std::lock_guard lock(mutex_);
  times_of_ = std::move(times);
}

std::size_t Records::take_dropped() {
  const std::lock_guard lock(mutex_);
  return std::exchange(dropped_, 0);
}

void Records::set_period(uint32_t milliseconds) {
  const std::lock_guard lock(mutex_);
  period_ = milliseconds;
  if (period_ != 0) begin_thread();
  many_.notify_one();
}

void Records::keep(const void* record, std::size_t bytes, uint64_t submission) {
  const Head head{submission, bytes};
  const std::lock_guard lock(mutex_);
  const std::size_t end = waiting_.size();
  waiting_.resize(end + sizeof head + bytes);
  std::memcpy(waiting_.data() + end, &head, sizeof head);
  std::memcpy(waiting_.data() + end + sizeof head, record, bytes);
  if (waiting_.size() < many_bytes || callbacks_.request == nullptr) return;
  begin_thread();
  many_.notify_one();
}

// It is never joined: a process ends with it, and nothing that it uses is destroyed before.
void Records::begin_thread() {
  if (std::exchange(thread_, true)) return;
  try {
    std::thread([this] { work(); }).detach();
  } catch (const std::system_error&) {
    thread_ = false;  // records wait for a flush, then
  }
}

void Records::work() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const auto enough = [this] { return waiting_.size() >= many_bytes && callbacks_.request != nullptr; };
      if (period_ == 0)
        many_.wait(lock, [&] { return enough() || period_ != 0; });
      else
        many_.wait_for(lock, std::chrono::milliseconds(period_), enough);
    }
    hand_over(period_ != 0);
  }
}

// Not while records are handed over: that asks for buffers itself.
void Records::ask() {
  const std::unique_lock handing(handing_, std::try_to_lock);
  if (!handing) return;
  Callbacks callbacks;
  {
    const std::lock_guard lock(mutex_);
    callbacks = callbacks_;
  }
  if (callbacks.request == nullptr) return;
  prepared_.store(true, std::memory_order_relaxed);
  if (buffer_.data == nullptr) callbacks.request(&buffer_.data, &buffer_.size, &buffer_.most);
}

void Records::flush() { hand_over(true); }

void Records::hand_over(bool all) {
  if (hand_out(all) != 0 && no_buffer_) no_buffer_();
}

std::size_t Records::hand_out(bool all) {
  const std::lock_guard handing(handing_);
  std::vector<std::byte> records;
  Callbacks callbacks;
  {
    const std::lock_guard lock(mutex_);
    if (callbacks_.request == nullptr) return 0;
    callbacks = callbacks_;
    records.swap(waiting_);
  }
  std::size_t dropped = 0;
  for (std::size_t at = 0; at < records.size();) {
    Head head{};
    std::memcpy(&head, records.data() + at, sizeof head);
    std::byte* record = records.data() + at + sizeof head;
    at += sizeof head + head.bytes;
    if (!room_for(head.bytes, callbacks)) {
      ++dropped;
      continue;
    }
    tell_times(record, head.submission);
    std::memcpy(buffer_.data + buffer_.used, record, head.bytes);
    buffer_.used += head.bytes;
    ++buffer_.records;
  }
  if (all && buffer_.records != 0) complete(callbacks);
  const std::lock_guard lock(mutex_);
  dropped_ += dropped;
  return dropped;
}

// A buffer with room for a record: the one that is there, or a new one of the program.
bool Records::room_for(std::size_t bytes, const Callbacks& callbacks) {
  const auto fits = [&] {
    return buffer_.data != nullptr && buffer_.used + bytes <= buffer_.size &&
           (buffer_.most == 0 || buffer_.records < buffer_.most);
  };
  if (fits()) return true;
  if (buffer_.data != nullptr) complete(callbacks);
  callbacks.request(&buffer_.data, &buffer_.size, &buffer_.most);
  if (fits()) return true;
  if (buffer_.data != nullptr) complete(callbacks);  // one that is too small goes back empty
  return false;
}

void Records::complete(const Callbacks& callbacks) {
  const Buffer full = std::exchange(buffer_, {});
  prepared_.store(false, std::memory_order_relaxed);
  callbacks.complete(nullptr, 0, full.data, full.size, full.used);
}

void Records::tell_times(std::byte* record, uint64_t submission) {
  CUpti_ActivityKind kind{};
  std::memcpy(&kind, record, sizeof kind);
  const Layout* layout = layout_of(kind);
  if (layout == nullptr) return;
  const bool otherwise = submission != 0 && times_of_;
  const Span span = otherwise ? times_of_(submission) : Span{};
  for (std::size_t i = 0; i < layout->times.size() && layout->times[i] != 0; ++i) {
    uint64_t time = 0;
    std::memcpy(&time, record + layout->times[i], sizeof time);
    if (time == 0) continue;  // not known
    // Of those that run, the first is the beginning, and the others are the end.
    if (otherwise) time = static_cast<uint64_t>(i == 0 ? span.began : span.ended);
    time = clock_.at(static_cast<int64_t>(time));
    std::memcpy(record + layout->times[i], &time, sizeof time);
  }
}

const char* kept_text(std::string_view text) {
  // Never destroyed: programs read records until the very end of a process.
  static auto& mutex = *new std::mutex;
  static auto& texts = *new std::unordered_set<std::string>;
  const std::lock_guard lock(mutex);
  return texts.emplace(text).first->c_str();
}

}  // namespace heddle::cupti
