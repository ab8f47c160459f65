// What a machine has to do for an access of a warp: the device's rules of coalescing and banks as events.
#pragma once

#include <functional>
#include <vector>

#include "observe/texels.h"
#include "timing/machine.h"
#include "timing/trace.h"

namespace heddle::timing {

// A piece of memory, and whether it is the host's: a device reaches that over its bus.
struct Piece {
  uint64_t begin = 0, end = 0;
  bool of_host = false;
};
// The piece that an address lies in. Any thread may ask.
using FindPiece = std::function<Piece(uint64_t address)>;

// For one thread.
class EventMaker {
 public:
  // Both stay. Without `find` all memory is the device's.
  EventMaker(const Machine& machine, const FindPiece& find) : machine_(machine), find_(find) {}
  // Its transactions come behind the others of `parts`.
  Event event(const observe::Access& access, std::vector<Part>& parts);
  Event event(const observe::Look& look, std::vector<Part>& parts);

 private:
  void add_parts(Event& event, const observe::Access& access, std::vector<Part>& parts);
  bool is_of_host(uint64_t address);

  const Machine& machine_;
  const FindPiece& find_;
  Piece piece_;                    // of the address that was asked for last
  std::vector<uint64_t> sectors_;  // of a look
};

}  // namespace heddle::timing
