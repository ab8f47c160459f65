// What all forms of an access share: addresses of the host, lanes one by one, where a fault is told from.
#include "exec/jit/vectorize/access/memory.h"

#include "exec/jit/abi/code.h"
#include "exec/jit/ir/values.h"
#include "llvm/IR/InlineAsm.h"

namespace heddle::exec::jit {

using llvm::Value;
using module::Space;

namespace {

// Of what the record says goes forwards, with its lanes in other places.
Rep forwards(Unit& unit, const AccessRecord& record, const Rep& address) {
  if (!record.reversed || address.parts.empty()) return {record.address, address.parts};
  const LaneBuilder& lanes = unit.weaver().lanes;
  llvm::IRBuilder<>& b = unit.weaver().builder;
  Rep result{record.address, {}};
  llvm::Type* type = address.parts[0]->getType();
  const uint64_t back = record.bytes() * (lanes.lanes() - 1);
  for (unsigned j = 0; j < unit.vectors(); ++j)
    result.parts.push_back(b.CreateSub(lanes.base(address, j), llvm::ConstantInt::get(type, back)));
  result.parts.append(unit.vectors(), llvm::ConstantInt::get(type, lanes.lanes() - 1));
  return result;
}

}  // namespace

Access::Access(Unit& unit, const llvm::CallInst& call, const Rep& address, llvm::Type* element,
               unsigned elements, unsigned first, bool one_value)
    : unit_(unit),
      weaver_(unit.weaver()),
      b_(weaver_.builder),
      lanes_(weaver_.lanes),
      call_(call),
      record_(classify(call, address.pattern, unit.patterns(), weaver_.access_means(), unit.masked(),
                       elements, element->getScalarSizeInBits() / 8, one_value)),
      address_(forwards(unit, record_, address)),
      element_(element),
      elements_(elements),
      first_element_(first),
      element_bytes_(record_.element_bytes) {
  if (record_.space == Space::shared) weaver_.uses_shared = true;
  if (record_.form != AccessRecord::found_row || !record_.is_plain() || record_.run) return;
  ring_ = find_ring(call.getArgOperand(0), unit.patterns(), record_.side_by_side_bytes());
  if (ring_) ring_->each_value([&](const Value* value) { ring_values_.push_back(unit.get(value)); });
}

Value* Access::host(Value* address) const {
  switch (record_.space) {
    case Space::shared:
      // The window behind shared memory is 4 GiB of nothing: no address may lead beyond it.
      return b_.CreateGEP(b_.getInt8Ty(), record_.of_cluster ? weaver_.shared_of_cluster : weaver_.shared,
                          b_.CreateAnd(address, llvm::ConstantInt::get(address->getType(), 0xffffffff)));
    case Space::param: return b_.CreateGEP(b_.getInt8Ty(), weaver_.parameters, address);
    case Space::local:
      if (record_.by_lanes) return b_.CreateGEP(b_.getInt8Ty(), weaver_.local, address);
      [[fallthrough]];
    default: return b_.CreateIntToPtr(address, address->getType()->getWithNewType(b_.getPtrTy()));
  }
}

// Lane 0 of a row of lanes `step` bytes apart. Where it takes no part, its address may lie before the window:
// the first lane that does leads there.
Value* Access::host_of_row(Value* base, Value* mask, uint64_t step) const {
  if (record_.space != Space::shared || mask == nullptr) return host(base);
  Value* active = unit_.bits(mask);
  Value* lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, active, b_.getFalse());
  Value* ahead = b_.CreateMul(b_.CreateZExt(lane, b_.getInt64Ty()), b_.getInt64(step));
  return b_.CreateGEP(b_.getInt8Ty(), host(b_.CreateAdd(base, ahead)), b_.CreateNeg(ahead));
}

void Access::settle(llvm::Instruction* access, const AccessLanes& lanes, unsigned element) const {
  switch (record_.space) {
    case Space::generic: break;
    case Space::shared: weaver_.mark(access, Weaver::shared_memory); break;
    case Space::local: weaver_.mark(access, Weaver::local_memory); break;
    case Space::param: weaver_.mark(access, Weaver::frame_memory); break;
    default: weaver_.mark(access, Weaver::global_memory); break;
  }
  weaver_.locate(access, call_, lanes, record_.run ? first_element_ + element : 0);
  weaver_.come_from(call_, lanes);
}

llvm::LoadInst* Access::load(llvm::Type* type, Value* pointer, const AccessLanes& lanes,
                             unsigned element) const {
  auto* access = b_.CreateAlignedLoad(type, pointer, llvm::Align(element_bytes_), record_.strong);
  settle(access, lanes, element);
  return access;
}
llvm::StoreInst* Access::store(Value* value, Value* pointer, const AccessLanes& lanes) const {
  auto* access = b_.CreateAlignedStore(value, pointer, llvm::Align(element_bytes_), record_.strong);
  settle(access, lanes);
  return access;
}

// As in fiber/places.cpp.
bool Access::is_whole() const { return record_.strong && elements_ > 1 && !record_.run; }

llvm::Type* Access::whole_type() const {
  return type_in_one_piece(b_, static_cast<unsigned>(record_.bytes()));
}

llvm::SmallVector<Value*, 4> Access::load_elements(Value* pointer, const AccessLanes& lanes) const {
  llvm::SmallVector<Value*, 4> result;
  if (!is_whole()) {
    for (unsigned e = 0; e < elements_; ++e) result.push_back(load(element_, part(pointer, e), lanes, e));
    return result;
  }
  Value* together =
      b_.CreateBitCast(load(whole_type(), pointer, lanes), llvm::FixedVectorType::get(element_, elements_));
  for (unsigned e = 0; e < elements_; ++e) result.push_back(b_.CreateExtractElement(together, e));
  return result;
}

void Access::store_elements(llvm::ArrayRef<Value*> values, Value* pointer, const AccessLanes& lanes) const {
  if (!is_whole()) {
    for (unsigned e = 0; e < elements_; ++e) store(values[e], part(pointer, e), lanes);
    return;
  }
  Value* together = llvm::PoisonValue::get(llvm::FixedVectorType::get(element_, elements_));
  for (unsigned e = 0; e < elements_; ++e) together = b_.CreateInsertElement(together, values[e], e);
  store(b_.CreateBitCast(together, whole_type()), pointer, lanes);
}

uint32_t Access::site() const {
  return call_.getDebugLoc() ? call_.getDebugLoc().getLine() - 1 : 0xffffffffu;
}

std::vector<uint32_t> Access::element_order() const {
  return weaver_.in_program_order(record_.run && elements_ > 1 ? site() : ~0U, elements_);
}

void Access::likely(Value* condition, llvm::BasicBlock* yes, llvm::BasicBlock* no) const {
  auto* branch = b_.CreateCondBr(condition, yes, no);
  branch->setMetadata(
      llvm::LLVMContext::MD_prof,
      llvm::MDNode::get(weaver_.context, {llvm::MDString::get(weaver_.context, "branch_weights"),
                                          llvm::ConstantAsMetadata::get(b_.getInt32(2000)),
                                          llvm::ConstantAsMetadata::get(b_.getInt32(1))}));
}

// ---- where local and generic addresses are ---------------------------------------------------------------

// Local memory of the lanes' threads.
Value* Access::local_places(unsigned j) const {
  Value* first = b_.CreateZExt(unit_.thread_of(j, b_.getInt32(0)), b_.getInt64Ty());
  Value* base = b_.CreateAdd(b_.CreatePtrToInt(weaver_.local, b_.getInt64Ty()),
                             b_.CreateMul(first, weaver_.local_stride));
  llvm::SmallVector<llvm::Constant*, 16> numbers;
  for (unsigned lane = 0; lane < lanes_.lanes(); ++lane) numbers.push_back(b_.getInt64(lane));
  Value* strides = b_.CreateVectorSplat(lanes_.lanes(), weaver_.local_stride);
  return b_.CreateAdd(b_.CreateVectorSplat(lanes_.lanes(), base),
                      b_.CreateMul(strides, llvm::ConstantVector::get(numbers)));
}

// Generic addresses of the windows become host addresses, lane by lane; rare.
Value* Access::resolved(unsigned j, bool write) const {
  Value* addresses = lanes_.vector(address_, j);
  llvm::Type* type = addresses->getType();
  const WindowMap& map = weaver_.windows();
  const uint64_t low = std::min({map.shared_base, map.local_base, map.param_base});
  const uint64_t high = std::max({map.shared_base + map.shared_bytes, map.local_base + map.local_bytes,
                                  map.param_base + map.param_bytes});
  Value* inside = b_.CreateICmpULT(b_.CreateSub(addresses, llvm::ConstantInt::get(type, low)),
                                   llvm::ConstantInt::get(type, high - low));
  if (unit_.masked())
    inside = b_.CreateSelect(unit_.mask(j), inside, llvm::Constant::getNullValue(inside->getType()));
  Value* lanes = unit_.bits(inside);
  llvm::BasicBlock *from = b_.GetInsertBlock(), *loop = weaver_.block("resolve"),
                   *done = weaver_.block("resolved");
  llvm::AllocaInst* array = weaver_.make_alloca(type, "addresses");
  b_.CreateStore(addresses, array);
  Value* zero = llvm::ConstantInt::get(lanes->getType(), 0);
  likely(b_.CreateICmpEQ(lanes, zero), done, loop);
  b_.SetInsertPoint(loop);
  auto* rest = b_.CreatePHI(lanes->getType(), 2);
  rest->addIncoming(lanes, from);
  Value* lane =
      b_.CreateZExt(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, b_.getTrue()), b_.getInt32Ty());
  Value* place = b_.CreateInBoundsGEP(b_.getInt64Ty(), array, lane);
  llvm::Type* i32 = b_.getInt32Ty();
  auto callee = weaver_.helper("heddle_jit_resolve", b_.getPtrTy(),
                               {b_.getPtrTy(), b_.getInt64Ty(), i32, i32, i32, i32});
  Value* found = b_.CreateCall(
      callee, {weaver_.run, b_.CreateLoad(b_.getInt64Ty(), place), unit_.thread_of(j, lane),
               b_.getInt32(static_cast<uint32_t>(record_.bytes())), b_.getInt32(write), b_.getInt32(site())});
  b_.CreateStore(b_.CreatePtrToInt(found, b_.getInt64Ty()), place);
  Value* next = b_.CreateAnd(rest, b_.CreateSub(rest, llvm::ConstantInt::get(rest->getType(), 1)));
  rest->addIncoming(next, loop);
  b_.CreateCondBr(b_.CreateICmpNE(next, zero), loop, done);
  b_.SetInsertPoint(done);
  return b_.CreateLoad(type, array);
}

Value* Access::places_by_lane(unsigned j, bool write) const {
  return record_.is_by_steps() ? nullptr : places(j, write);
}

// Addresses of the lanes for an access lane by lane, ready for host().
Value* Access::places(unsigned j, bool write) const {
  if (record_.is_thread_by_thread()) return b_.CreateAdd(local_places(j), lanes_.vector(address_, j));
  if (record_.space == Space::generic) return resolved(j, write);
  return lanes_.vector(address_, j);
}

// Side by side, seen at run time: every active lane where lane 0 says it should be.
Value* Access::contiguous(Value* places, unsigned j) const {
  Value* first = b_.CreateExtractElement(places, uint64_t{0});
  Value* equal =
      b_.CreateICmpEQ(places, lanes_.spread(first, static_cast<int64_t>(record_.side_by_side_bytes())));
  if (unit_.masked()) equal = b_.CreateSelect(unit_.mask(j), equal, unit_.full_mask());
  Value* number = unit_.bits(equal);
  Value* all = b_.CreateICmpEQ(number, llvm::Constant::getAllOnesValue(number->getType()));
  // A masked access without a lane, at an address of nobody, is very slow where the page is not there.
  return unit_.masked() ? b_.CreateAnd(all, unit_.any_of(j)) : all;
}

Value* Access::all_there(unsigned j) const {
  Value* bits = unit_.bits(unit_.mask(j));
  return b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

Access::FoundRow Access::find_row(Value* places, unsigned j) const {
  if (ring_) return find_row_of_ring(j);
  return {contiguous(places, j), b_.CreateExtractElement(places, uint64_t{0})};
}

// The first and the last lane have the same bits above the ring's.
Access::FoundRow Access::find_row_of_ring(unsigned j) const {
  const Rep& index = ring_values_[0];
  Value* first = lanes_.base(index, j);
  llvm::Type* type = first->getType();
  Value* last =
      b_.CreateAdd(first, llvm::ConstantInt::get(type, index.pattern.lane_step * (lanes_.lanes() - 1)));
  Value* round = b_.CreateAnd(b_.CreateXor(first, last), llvm::ConstantInt::get(type, ~ring_->mask));
  Value* is_row = b_.CreateICmpEQ(round, llvm::Constant::getNullValue(type));
  if (unit_.masked()) is_row = b_.CreateAnd(is_row, unit_.any_of(j));
  Value* place = b_.CreateAnd(first, llvm::ConstantInt::get(type, ring_->mask));
  const Rep* addend = &index;
  for (const llvm::Instruction* step : ring_->steps) switch (step->getOpcode()) {
      case llvm::Instruction::ZExt: place = b_.CreateZExt(place, step->getType()); break;
      case llvm::Instruction::Add: place = b_.CreateAdd(place, lanes_.base(*++addend, j)); break;
      default:
        place = b_.CreateBinOp(static_cast<llvm::Instruction::BinaryOps>(step->getOpcode()), place,
                               step->getOperand(1));
    }
  return {is_row, place};
}

// ---- lane by lane ----------------------------------------------------------------------------------------

void Access::each_lane(unsigned j, const std::function<void(Value* lane)>& body) const {
  each_lane(j, false, body);
}

void Access::each_lane_from_last(unsigned j, const std::function<void(Value* lane)>& body) const {
  each_lane(j, true, body);
}

void Access::each_lane(unsigned j, bool from_last, const std::function<void(Value* lane)>& body) const {
  llvm::Type* type = b_.getIntNTy(lanes_.lanes());
  Value* all = unit_.masked() ? unit_.bits(unit_.mask(j)) : llvm::Constant::getAllOnesValue(type);
  llvm::BasicBlock *from = b_.GetInsertBlock(), *loop = weaver_.block("lane"), *done = weaver_.block("lanes");
  Value* zero = llvm::ConstantInt::get(type, 0);
  if (unit_.masked())
    b_.CreateCondBr(b_.CreateICmpNE(all, zero), loop, done);
  else
    b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  auto* rest = b_.CreatePHI(type, 2);
  rest->addIncoming(all, from);
  Value* one = llvm::ConstantInt::get(type, 1);
  Value* number =
      b_.CreateBinaryIntrinsic(from_last ? llvm::Intrinsic::ctlz : llvm::Intrinsic::cttz, rest, b_.getTrue());
  if (from_last) number = b_.CreateSub(llvm::ConstantInt::get(type, lanes_.lanes() - 1), number);
  body(b_.CreateZExt(number, b_.getInt32Ty()));
  Value* next =
      from_last ? b_.CreateXor(rest, b_.CreateShl(one, number)) : b_.CreateAnd(rest, b_.CreateSub(rest, one));
  rest->addIncoming(next, b_.GetInsertBlock());
  auto* branch = b_.CreateCondBr(b_.CreateICmpNE(next, zero), loop, done);
  branch->setMetadata(llvm::LLVMContext::MD_loop, weaver_.no_unroll());
  b_.SetInsertPoint(done);
}

void Access::note_lane(unsigned j, Value* lane) const {
  weaver_.store_context_field(b_.CreateAdd(lane, b_.getInt32(j * lanes_.lanes())), offsetof(Context, lane));
}

Value* Access::gather_mask(unsigned j) const { return unit_.masked() ? unit_.mask(j) : unit_.full_mask(); }

AccessLanes Access::lanes_of_places(unsigned j) const {
  return AccessLanes::of_vector(
      record_.by_lane == AccessRecord::steps ? AccessLanes::steps : AccessLanes::addresses,
      j * lanes_.lanes(), !unit_.masked());
}

// Of all lanes at once; a fault looks them up in the context. `places`: not asked for where they go by steps.
Value* Access::pointers(unsigned j, Value* places) const {
  if (record_.by_lane == AccessRecord::steps) {
    Value* first = host(lanes_.base(address_, j));
    fence();
    weaver_.store_context_field(b_.CreatePtrToInt(first, b_.getInt64Ty()), offsetof(Context, addresses));
    weaver_.store_context_field(b_.getInt64(static_cast<uint64_t>(address_.pattern.lane_step)),
                                offsetof(Context, addresses) + sizeof(uint64_t));
    fence();
    return b_.CreateGEP(b_.getInt8Ty(), first, lanes_.spread(b_.getInt64(0), address_.pattern.lane_step));
  }
  Value* all = host(places);
  note_places(all);
  return all;
}

// Of lanes that go one by one.
std::function<Value*(unsigned)> Access::each_pointer(unsigned j, Value* places) const {
  if (record_.is_by_steps())
    return [this, first = host(lanes_.base(address_, j))](unsigned lane) {
      const auto step = static_cast<uint64_t>(address_.pattern.lane_step);
      return b_.CreateGEP(b_.getInt8Ty(), first, b_.getInt64(lane * step));
    };
  return [this, places](unsigned lane) { return host(b_.CreateExtractElement(places, lane)); };
}

// What a fault reads must be there when the access is made: nothing in the program reads it.
void Access::note_places(Value* all) const {
  fence();
  weaver_.store_context_field(b_.CreatePtrToInt(all, lanes_.vector_type(b_.getInt64Ty())),
                              offsetof(Context, addresses));
  fence();
}

void Access::fence() const {
  auto* nothing = llvm::InlineAsm::get(llvm::FunctionType::get(b_.getVoidTy(), false), "", "~{memory}", true);
  b_.CreateCall(nothing);
}

Value* Access::part(Value* pointer, unsigned e) const {
  return e == 0 ? pointer : b_.CreateGEP(b_.getInt8Ty(), pointer, b_.getInt64(e * element_bytes_));
}

AccessLanes Access::lanes_of_all(unsigned j) const {
  return unit_.masked() ? AccessLanes{.kind = AccessLanes::first_active} : one_lane(j, 0);
}

}  // namespace heddle::exec::jit
