// A library's work on its way into a stream.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "libs/common/access.h"
#include "libs/common/call.h"
#include "libs/interface/services.h"

namespace heddle::libs {

Services& services();

// The stream of a handle (a cudaStream_t), in the context that is current.
class Target {
 public:
  explicit Target(void* stream_handle);
  bool capturing() const { return stream_->capturing(); }
  int device() const { return stream_->device(); }
  void submit(WorkRef work);
  void synchronize();

  // `body(Access&)` runs when the stream gets there. It must hold what it needs by value.
  template <class Body>
  void submit(const char* name, Body body) {
    submit(std::make_shared<const BodyWork<Body>>(name, std::move(body)));
  }
  // The same, and the call waits for it, since it gives something back to the host.
  template <class Body>
  void submit_and_wait(const char* name, Body body) {
    if (capturing()) refuse(Why::execution_failed, "a result for the host while the stream is captured");
    submit(name, std::move(body));
    synchronize();
  }

 private:
  template <class Body>
  class BodyWork final : public Work {
   public:
    BodyWork(const char* name, Body body) : name_(name), body_(std::move(body)) {}
    const char* name() const override { return name_; }
    bool run(Memory& memory, BadAccess& bad) const noexcept override {
      try {
        Access access(memory);
        body_(access);
        return true;
      } catch (BadAccess& found) {
        bad = std::move(found);
      } catch (const std::bad_alloc&) {
        bad.words = "no memory for its workspace";
      } catch (const Refusal& refusal) {
        bad.words = refusal.words;
      } catch (...) {
        bad.words = "an exception";
      }
      return false;
    }

   private:
    const char* const name_;
    const Body body_;
  };

  std::shared_ptr<Stream> stream_;
};

// A number that a call takes from the host at once, or from the device when its work runs.
template <class T>
class Scalar {
 public:
  Scalar(const T* pointer, bool on_device) : pointer_(on_device ? pointer : nullptr) {
    if (!on_device) value_ = *pointer;
  }
  T get(Access& access) const { return pointer_ == nullptr ? value_ : *access.read(pointer_, 1); }

 private:
  const T* pointer_;
  T value_{};
};

}  // namespace heddle::libs
