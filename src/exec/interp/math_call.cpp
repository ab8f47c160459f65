#include "exec/interp/math_call.h"

#include <cstring>

#include "exec/interp/call_values.h"
#include "exec/interp/run.h"
#include "exec/interp/warp.h"

namespace heddle::exec::interp {

namespace {

uint32_t bytes_of(const math::Function& function, math::Value value) {
  return value == math::Value::integer ? 4 : function.bits() / 8;
}

uint64_t argument(Step& step, const module::Operand& operand, int lane, uint32_t bytes) {
  std::byte value[8]{};
  read_argument(step, operand, lane, {value, bytes});
  uint64_t bits = 0;
  std::memcpy(&bits, value, sizeof bits);
  return bits;
}

}  // namespace

void MathCalls::call(const math::Function& function, int lane) {
  const CallOperands operands = call_operands(step_.function(), step_.instruction());
  const unsigned values = function.source_count();
  if (operands.params.size() < values + function.pointer_count()) return;
  uint64_t sources[4] = {}, results[2] = {};
  for (unsigned i = 0; i < values; ++i) {
    const uint32_t bytes = bytes_of(function, function.sources[i]);
    sources[i] = argument(step_, operands.params[i], lane, bytes);
    if (bytes < function.bits() / 8)  // .s32 among doubles
      sources[i] = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(sources[i])));
  }
  math::evaluate(math::id_of(function), sources, results);
  if (step_.warp().run().watch.values()) show(function, lane, results, sources);
  const unsigned returned = function.returns ? 1 : 0;
  for (unsigned i = 0; i < function.pointer_count(); ++i) {
    const uint64_t address =
        argument(step_, operands.params[values + i], lane, step_.image().address_bits / 8);
    stores_[i].push_back(
        {lane, address, results[returned + i], bytes_of(function, function.results[returned + i])});
  }
  if (!function.returns || operands.results.empty()) return;
  std::byte bytes[8];
  std::memcpy(bytes, results, sizeof bytes);
  write_result(step_, operands.results[0], lane, {bytes, bytes_of(function, function.results[0])});
}

// To who watches values: in the order of exec::ToldNumbers, which has those of direct calls.
void MathCalls::show(const math::Function& function, int lane, const uint64_t* results,
                     const uint64_t* sources) {
  std::vector<uint64_t>& bits = step_.warp().run().watch.number_bits();
  std::size_t at = static_cast<std::size_t>(lane);
  const auto show = [&](math::Value value, uint64_t number) {
    if (value == math::Value::integer || at >= bits.size()) return;
    bits[at] = number;
    at += observe::warp_lanes;
  };
  for (unsigned r = 0; r < function.result_count(); ++r) show(function.results[r], results[r]);
  for (unsigned s = 0; s < function.source_count(); ++s) show(function.sources[s], sources[s]);
}

void MathCalls::store() {
  for (const std::vector<Store>& stores : stores_) {
    for (const Store& s : stores) {
      const Step::Place place = step_.place(s.address, module::Space::generic, s.lane, s.bytes, true);
      if (place.host == nullptr) return;
      std::memcpy(place.host, &s.bits, s.bytes);
    }
  }
}

}  // namespace heddle::exec::interp
