// Shared objects that one thread makes and another one drops, many a millisecond. The C library gives such
// memory back to the thread that asked for it, under a lock which both then wait for in turn; here it goes
// through a list without a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace heddle {

// Memory of objects of one size. Each thread keeps a little of its own, the rest lies in one stack: what is
// pushed there is only ever taken as a whole, so that nobody looks into what another one has taken.
template <std::size_t bytes, std::size_t alignment>
class RecycledMemory {
 public:
  static void* take() {
    Own& own = own_;
    if (own.first == nullptr) {
      own.first = returned_.exchange(nullptr, std::memory_order_acquire);
      if (own.first == nullptr) return ::operator new(sizeof(Piece), std::align_val_t{alignof(Piece)});
      own.count = returned_count_.exchange(0, std::memory_order_relaxed);
    }
    if (own.count > 0) --own.count;
    Piece* const piece = std::exchange(own.first, own.first->next);
    // Who gave it has it in his cache. The next one is on its way while this one is used.
    for (std::size_t line = 0; own.first != nullptr && line < sizeof(Piece); line += 64)
      __builtin_prefetch(reinterpret_cast<std::byte*>(own.first) + line, 1);
    return piece;
  }

  static void give(void* memory) {
    Own& own = own_;
    auto* const piece = static_cast<Piece*>(memory);
    if (own.count < most_own) {
      piece->next = std::exchange(own.first, piece);
      ++own.count;
    } else if (returned_count_.load(std::memory_order_relaxed) < most_returned) {
      returned_count_.fetch_add(1, std::memory_order_relaxed);
      piece->next = returned_.load(std::memory_order_relaxed);
      while (!returned_.compare_exchange_weak(piece->next, piece, std::memory_order_release,
                                              std::memory_order_relaxed)) {
      }
    } else {
      free(piece);
    }
  }

  static constexpr std::size_t most_own = 32, most_returned = 4096;

 private:
  union Piece {
    Piece* next;
    alignas(alignment) std::byte object[bytes];
  };
  struct Own {
    Piece* first = nullptr;
    std::size_t count = 0;  // about: others return pieces while all are taken
    ~Own() {
      while (first != nullptr) free(std::exchange(first, first->next));
      count = most_own;  // what a later destructor of this thread gives goes to the others
    }
  };

  static void free(Piece* piece) { ::operator delete(piece, std::align_val_t{alignof(Piece)}); }

  static inline thread_local Own own_;
  static inline std::atomic<Piece*> returned_{nullptr};
  static inline std::atomic<std::size_t> returned_count_{0};
};

template <typename T>
struct RecyclingAllocator {
  using value_type = T;
  RecyclingAllocator() = default;
  template <typename Other>
  RecyclingAllocator(const RecyclingAllocator<Other>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) {
    if (count != 1 || checked) return std::allocator<T>().allocate(count);
    return static_cast<T*>(RecycledMemory<sizeof(T), alignof(T)>::take());
  }
  void deallocate(T* memory, std::size_t count) {
    if (count != 1 || checked) return std::allocator<T>().deallocate(memory, count);
    RecycledMemory<sizeof(T), alignof(T)>::give(memory);
  }
  bool operator==(const RecyclingAllocator&) const { return true; }

 private:
  // AddressSanitizer looks after memory that is really given back.
#if __has_feature(address_sanitizer)
  static constexpr bool checked = true;
#else
  static constexpr bool checked = false;
#endif
};

// As std::make_shared.
template <typename T, typename... Arguments>
std::shared_ptr<T> make_recycled(Arguments&&... arguments) {
  return std::allocate_shared<T>(RecyclingAllocator<T>(), std::forward<Arguments>(arguments)...);
}

}  // namespace heddle
