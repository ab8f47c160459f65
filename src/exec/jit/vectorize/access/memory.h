// One access of memory by the lanes of a unit.
#pragma once

#include <functional>

#include "exec/jit/analysis/ring.h"
#include "exec/jit/vectorize/unit.h"

namespace heddle::exec::jit {

class Access {
 public:
  // `first` element of a run, when it is not all of it.
  // `one_value`: all lanes store the same.
  Access(Unit& unit, const llvm::CallInst& call, const Rep& address, llvm::Type* element, unsigned elements,
         unsigned first = 0, bool one_value = false);

  void load_all();
  void store_all(llvm::ArrayRef<Rep> values);

  // By one thread, whose lane Context::lane says: `address` a scalar.
  llvm::Value* load_alone(llvm::Value* address);

  // ---- parts that atomics use too
  void check_alignment(bool write);
  llvm::Value* places(unsigned j, bool write) const;  // of the lanes, for host()
  llvm::Value* host(llvm::Value* address) const;
  // Pointer; `mask`: of the row's places, nullptr: all.
  llvm::Value* host_of_row(llvm::Value* base, llvm::Value* mask, uint64_t step) const;
  // Ascending over the active lanes, in a loop; `lane` is an i32.
  void each_lane(unsigned j, const std::function<void(llvm::Value* lane)>& body) const;
  void each_lane_from_last(unsigned j, const std::function<void(llvm::Value* lane)>& body) const;
  void note_lane(unsigned j, llvm::Value* lane) const;  // for AccessLanes::noted
  // `element` of a run: where it is in the PTX.
  void settle(llvm::Instruction* access, const AccessLanes& lanes, unsigned element = 0) const;
  // Of one access for all lanes of vectors [first, first + count): the first lane that is there makes it.
  AccessLanes lanes_of_all(unsigned j) const;
  llvm::Value* gather_mask(unsigned j) const;
  llvm::Value* gather(llvm::FixedVectorType* type, unsigned j, llvm::Value* pointers, unsigned element) const;
  llvm::Value* gather_of_words(unsigned j, llvm::Value* pointers, unsigned element) const;
  AccessLanes lanes_of_places(unsigned j) const;
  llvm::Value* pointers(unsigned j, llvm::Value* places) const;
  std::function<llvm::Value*(unsigned lane)> each_pointer(unsigned j, llvm::Value* places) const;
  void note_places(llvm::Value* pointers) const;
  void fence() const;  // the compiler moves no access across
  AccessLanes one_lane(unsigned j, unsigned lane) const {
    return AccessLanes::of_one(j * lanes_.lanes() + lane);
  }
  AccessLanes row_lanes(unsigned j) const { return AccessLanes::of_row(j * lanes_.lanes()); }

 private:
  uint32_t site() const;
  // As they come in the program; those of one PTX instruction from the first to the last.
  std::vector<uint32_t> element_order() const;
  llvm::LoadInst* load(llvm::Type* type, llvm::Value* pointer, const AccessLanes& lanes,
                       unsigned element = 0) const;
  llvm::StoreInst* store(llvm::Value* value, llvm::Value* pointer, const AccessLanes& lanes) const;
  // All elements at one place. Where other threads watch it is one access of the machine: programs rely on a
  // pair that is stored together being seen together.
  bool is_whole() const;
  llvm::Type* whole_type() const;
  llvm::SmallVector<llvm::Value*, 4> load_elements(llvm::Value* pointer, const AccessLanes& lanes) const;
  void store_elements(llvm::ArrayRef<llvm::Value*> values, llvm::Value* pointer,
                      const AccessLanes& lanes) const;
  bool is_aligned() const;  // proved
  bool lanes_alike() const;
  llvm::Value* misaligned(unsigned j) const;
  void report_misaligned(bool write);
  void report_misaligned_vector(bool write);
  void fault_misaligned(llvm::Value* thread, llvm::Value* address, bool write);
  void likely(llvm::Value* condition, llvm::BasicBlock* yes, llvm::BasicBlock* no) const;
  llvm::Value* local_places(unsigned j) const;
  llvm::Value* resolved(unsigned j, bool write) const;
  llvm::Value* contiguous(llvm::Value* places, unsigned j) const;
  // Whether the lanes lie side by side, and the place of the first if so.
  struct FoundRow {
    llvm::Value *is_row, *first;
  };
  FoundRow find_row(llvm::Value* places, unsigned j) const;
  FoundRow find_row_of_ring(unsigned j) const;
  llvm::SmallVector<llvm::Value*, 4> load_lanes(unsigned j, llvm::Value* places) const;
  void store_lanes(unsigned j, llvm::Value* places, llvm::ArrayRef<llvm::Value*> values) const;
  llvm::Value* part(llvm::Value* pointer, unsigned e) const;

  // ---- tiles.cpp: pieces of several elements, one behind the other in memory
  unsigned piece_elements(unsigned elements) const;      // of one machine instruction
  llvm::SmallVector<llvm::Value*, 8> row_bases() const;  // of the first row's lanes, a vector or less each
  void note_rows(llvm::ArrayRef<llvm::Value*> bases) const;
  void load_row_tiles();
  void store_row_tiles(llvm::ArrayRef<Rep> values) const;
  void store_row_pieces(llvm::ArrayRef<llvm::Value*> bases, llvm::ArrayRef<Rep> values) const;
  void store_in_order(llvm::ArrayRef<Rep> values) const;
  llvm::Value* lie_apart(llvm::ArrayRef<llvm::Value*> bases) const;
  bool may_overlap_in_warp() const;
  unsigned vector_in_order(unsigned number) const;
  void store_one_place(llvm::ArrayRef<Rep> values);
  void store_rows(llvm::ArrayRef<Rep> values);
  void store_row_of(unsigned j, llvm::ArrayRef<Rep> values);
  void each_lane(unsigned j, bool from_last, const std::function<void(llvm::Value* lane)>& body) const;
  AccessLanes run_lanes() const;
  AccessLanes row_piece_lanes() const;
  void note_runs(llvm::ArrayRef<llvm::Value*> places) const;
  AccessLanes run_row_lanes(unsigned j, unsigned element) const;  // of what begins there
  llvm::Value* load_piece(llvm::Value* pointer, unsigned elements, const AccessLanes& lanes) const;
  void store_piece(llvm::Value* pointer, llvm::Value* piece, const AccessLanes& lanes) const;
  llvm::SmallVector<llvm::Value*, 4> load_pieces(unsigned j, llvm::Value* places) const;
  void store_run(llvm::ArrayRef<Rep> values);
  void store_elements(llvm::ArrayRef<Rep> values);
  llvm::Value* interleaved(llvm::ArrayRef<llvm::Value*> values) const;
  llvm::SmallVector<llvm::Value*, 4> load_run_row(unsigned j, llvm::Value* pointer) const;
  llvm::SmallVector<llvm::Value*, 4> load_run(unsigned j, llvm::Value* places) const;
  llvm::SmallVector<llvm::Value*, 4> load_row(unsigned j, llvm::Value* pointer) const;
  llvm::SmallVector<llvm::Value*, 4> load_places(llvm::Value* pointer, llvm::Value* mask,
                                                 const AccessLanes& lanes) const;
  void store_row(unsigned j, llvm::Value* pointer, llvm::ArrayRef<llvm::Value*> values) const;
  void store_places(llvm::Value* pointer, llvm::Value* mask, llvm::ArrayRef<llvm::Value*> values,
                    const AccessLanes& lanes) const;
  void store_vector(llvm::Value* value, llvm::Value* pointer, const AccessLanes& lanes) const;
  llvm::SmallVector<llvm::Value*, 4> guarded_row(unsigned j);
  // ---- few_lanes.cpp
  bool is_of_few_lanes() const;
  llvm::SmallVector<llvm::Value*, 4> load_few_lanes(unsigned j) const;
  void store_few_lanes(unsigned j, llvm::ArrayRef<llvm::Value*> values) const;
  // ---- combed_rows.cpp: every second, fourth or eighth element of a row
  struct Comb;
  Comb comb(unsigned j) const;
  llvm::Value* part(const Comb& comb, unsigned v) const;
  AccessLanes lanes_of(const Comb& comb, unsigned j, unsigned v) const;
  llvm::Value* load_combed_row(unsigned j) const;
  void store_combed_row(unsigned j, llvm::Value* value) const;
  // ---- xored_rows.cpp: rows whose lanes have changed places
  llvm::SmallVector<llvm::Value*, 4> load_xored_row(unsigned j) const;
  void store_xored_row(unsigned j, llvm::ArrayRef<llvm::Value*> values) const;
  llvm::Value* xored_row(unsigned j, llvm::Value* mask) const;  // pointer, noted for faults
  AccessLanes permuted_lanes(unsigned j) const;

  llvm::Value* load_spaced(llvm::Value* pointer, unsigned j) const;
  llvm::SmallVector<llvm::Value*, 4> load_vector(unsigned j);  // of the forms that go vector by vector
  void load_one_place();
  void load_runs();
  llvm::Value* places_by_lane(unsigned j, bool write) const;  // nullptr: none are asked for
  llvm::Value* all_there(unsigned j) const;
  // Lane by lane unless `whole`.
  llvm::SmallVector<llvm::Value*, 4> load_whole_or_lanes(
      unsigned j, llvm::Value* whole, llvm::Value* where,
      llvm::function_ref<llvm::SmallVector<llvm::Value*, 4>()> load_whole) const;
  void store_whole_or_lanes(unsigned j, llvm::Value* whole, llvm::Value* where,
                            llvm::ArrayRef<llvm::Value*> values,
                            llvm::function_ref<void()> store_whole) const;
  llvm::Value* safe(llvm::Value* pointer, unsigned j) const;
  llvm::Value* dummy() const;
  llvm::Value* first_lane(const Rep& value, unsigned j) const;
  void finish(llvm::SmallVector<Rep, 4> results);

  Unit& unit_;
  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
  LaneBuilder& lanes_;
  const llvm::CallInst& call_;
  const AccessRecord record_;
  const Rep address_;                      // its pattern is the record's
  std::optional<Ring> ring_;               // of a found row
  llvm::SmallVector<Rep, 4> ring_values_;  // its index, and what its sums add
  llvm::Type* element_;
  const unsigned elements_, first_element_, element_bytes_;
};

// The exclusive ors in addresses of rows that would not be rows without their tests (Patterns::is_guarded).
void find_tested_rows(const llvm::Function& function, const Patterns& patterns,
                      llvm::DenseSet<const llvm::Instruction*>& tested);
// The extensions for which that holds as long as they do not wrap.
void find_row_extensions(const llvm::Function& function, const Patterns& patterns,
                         llvm::DenseSet<const llvm::Instruction*>& extensions);

}  // namespace heddle::exec::jit
