// Work in a library that takes its own static objects down when the process ends, as LLVM does, while threads
// of ours may still be at work in it. The end of the process waits for such work, or puts it to rest.
#pragma once

#include <functional>

namespace heddle {

class LibraryWork {
 public:
  enum class Purpose {
    now,    // somebody waits for it: the end of the process waits too
    later,  // nobody does: the end of the process leaves it at its next rest()
  };
  // Work that begins later, on whatever thread: the end of the process waits until this is gone, and lets it
  // begin. To be made during other work.
  class Promise {
   public:
    Promise();
    ~Promise();
    Promise(const Promise&) = delete;
    Promise& operator=(const Promise&) = delete;
  };
  // On one thread they nest: the outermost counts.
  explicit LibraryWork(Purpose purpose = Purpose::now);
  explicit LibraryWork(const Promise&);
  // For later; `left` is called once if it is left, before the process ends.
  explicit LibraryWork(std::function<void()> left);
  ~LibraryWork();
  LibraryWork(const LibraryWork&) = delete;
  LibraryWork& operator=(const LibraryWork&) = delete;
  // False once the process ends: the library must not be called any more.
  bool may_begin() const { return may_begin_; }
  // A place where work for later can be left. Once the process ends it does not come back.
  static void rest();

 private:
  void begin(Purpose purpose, bool promised);
  bool may_begin_ = true, counts_ = false;
  std::function<void()> left_;
};

}  // namespace heddle
