// Short branches as an assembler makes them: instructions under a predicate, so that what was several blocks
// is put into order as one.
#include <algorithm>

#include "analysis/registers/code.h"

namespace heddle::analysis::registers {

namespace {

class Predication {
 public:
  Predication(Code& code, const Machine& machine)
      : machine_(machine), code_(code), live_(live_in(code)), is_live_(code.width.size()) {}

  void run() {
    for (auto b = static_cast<uint32_t>(code_.blocks.size()); b-- > 0;)
      while (one_branch(b)) {
      }
  }

 private:
  uint32_t next(uint32_t b) const {
    for (++b; b < code_.blocks.size(); ++b)
      if (code_.blocks[b].first != code_.blocks[b].end || !code_.predecessors[b].empty()) return b;
    return module::none;
  }
  static bool only(const std::vector<uint32_t>& list, uint32_t b) { return list.size() == 1 && list[0] == b; }
  static bool has(const std::vector<uint32_t>& list, uint32_t b) {
    return std::find(list.begin(), list.end(), b) != list.end();
  }

  // Whether the block may be done under a predicate, which is the same in all lanes or not.
  bool short_enough(uint32_t b, bool differing) const {
    const PredicationLimit& limit = machine_.predication;
    uint32_t count = 0;
    for (uint32_t i = code_.blocks[b].first; i < code_.blocks[b].end; ++i) {
      const Operation& o = code_.operations[i];
      if (o.memory == Memory::barrier || o.splits || o.guarded) return false;
      const bool jump = o.stays && o.definitions == 0 && o.memory == Memory::none;
      count += !jump;
    }
    return count <= (differing ? limit.differing : limit.alike);
  }

  // A branch to the end needs none: lanes end under its predicate.
  bool only_ends(uint32_t b) const {
    return code_.successors[b].empty() && code_.blocks[b].end - code_.blocks[b].first <= 1;
  }

  // What is defined under the predicate ends nothing where the value from before lives on.
  void guard(uint32_t b, uint32_t join) {
    for (const uint32_t value : live_[b]) is_live_[value] = true;
    for (const uint32_t value : live_[join]) is_live_[value] = true;
    for (uint32_t i = code_.blocks[b].first; i < code_.blocks[b].end; ++i) {
      Operation& o = code_.operations[i];
      for (const uint32_t value : code_.definitions(o)) o.guarded = o.guarded || is_live_[value];
    }
    for (const uint32_t value : live_[b]) is_live_[value] = false;
    for (const uint32_t value : live_[join]) is_live_[value] = false;
  }

  void append(uint32_t b, uint32_t other) {
    code_.parts[b] = code_.parts[other];
    code_.blocks[b].end = code_.blocks[other].end;
    code_.blocks[other].first = code_.blocks[other].end;
    for (const uint32_t to : code_.successors[other])
      std::replace(code_.predecessors[to].begin(), code_.predecessors[to].end(), other, b);
    code_.successors[b] = code_.successors[other];
    code_.successors[other].clear();
    code_.predecessors[other].clear();
    live_[other].clear();
  }

  // A block that is jumped over, and where it was alone what follows it.
  bool one_branch(uint32_t b) {
    if (code_.successors[b].size() != 2) return false;
    const uint32_t then = next(b);
    if (then == module::none || then == b || !has(code_.successors[b], then) ||
        !only(code_.predecessors[then], b) || code_.successors[then].size() != 1)
      return false;
    const uint32_t join = code_.successors[then][0];
    if (only_ends(join)) return false;
    if (join == then || join == b || !has(code_.successors[b], join) || !short_enough(then, code_.parts[b]))
      return false;
    guard(then, join);
    auto& back = code_.predecessors[join];
    back.erase(std::remove(back.begin(), back.end(), then), back.end());
    append(b, then);
    code_.successors[b] = {join};
    if (!has(back, b)) back.push_back(b);
    if (next(b) == join && only(back, b)) append(b, join);
    return true;
  }

  const Machine& machine_;
  Code& code_;
  std::vector<std::vector<uint32_t>> live_;
  std::vector<bool> is_live_;
};

}  // namespace

void predicate(Code& code, const Machine& machine) { Predication(code, machine).run(); }

}  // namespace heddle::analysis::registers
