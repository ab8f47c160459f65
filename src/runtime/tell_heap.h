// To those who watch a process and are HeapWatchers.
#pragma once

#include "runtime/heap_watcher.h"
#include "runtime/watcher.h"
#include "runtime/watchers.h"

namespace heddle::runtime {

template <class F>
void tell_heap(const Watchers* watchers, F&& tell) {
  if (watchers == nullptr || !watchers->any()) [[likely]]
    return;
  watchers->tell([&](Watcher& watcher) {
    if (auto* one = dynamic_cast<HeapWatcher*>(&watcher)) tell(*one);
  });
}

}  // namespace heddle::runtime
