// Who may call whom, and what follows from it: recursion, and the shared memory that a kernel needs.
#pragma once

#include <span>

#include "module/flow.h"
#include "module/image.h"

namespace heddle::module {

// Fills callees and recursive of every function. `flows` is by Instruction::mnemonic.
void build_call_graph(Image& image, std::span<const Flow> flows);

// Functions reachable from one, itself included, ascending.
std::vector<uint32_t> reachable_functions(const Image& image, uint32_t from);

// Fills shared_layout, static_shared_bytes and dynamic_shared of every entry.
//
// Variables lie in the order in which ptxas places them, so that sizes agree with it to the byte: the entry's
// own, then those of the modules, then those of the functions that it may call, each in the order of the text
// and at its alignment; last what the entry declares and nobody names. Variables of a module or a called
// function that nothing reachable names take no room. Dynamic arrays all begin at the end, aligned to 16 and
// to what any of them asks for; as ptxas does it, that rounds up the static size of every entry whose module
// declares one, used or not. `dynamic_align`: of the dynamic arrays declared in each unit, 0 where there is
// none.
void lay_out_shared(Image& image, std::span<const uint32_t> dynamic_align);

}  // namespace heddle::module
