// To those who watch a process and are more than a Watcher: of one kind.
#pragma once

#include "runtime/family_watcher.h"
#include "runtime/heap_watcher.h"
#include "runtime/watcher.h"
#include "runtime/watchers.h"

namespace heddle::runtime {

template <class Kind, class F>
void tell_each(const Watchers* watchers, F&& tell) {
  if (watchers == nullptr || !watchers->any()) [[likely]]
    return;
  watchers->tell([&](Watcher& watcher) {
    if (auto* one = dynamic_cast<Kind*>(&watcher)) tell(*one);
  });
}

template <class F>
void tell_heap(const Watchers* watchers, F&& tell) {
  tell_each<HeapWatcher>(watchers, tell);
}
template <class F>
void tell_family(const Watchers* watchers, F&& tell) {
  tell_each<FamilyWatcher>(watchers, tell);
}

}  // namespace heddle::runtime
