#include "exec/jit/math/tables.h"

#include <array>
#include <string>

#include "approx/tables.gen.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace heddle::exec::jit {

namespace {

struct Named {
  const approx::Interpolator* table;
  const char* name;
  unsigned count;
};
// Their arguments have 23 bits, those of the square roots 24; tanh's segments are counted by binades.
const std::array tables{
    Named{&approx::ex2_table, "ex2", 1u << (23 - approx::ex2_table.x_bits)},
    Named{&approx::lg2_table, "lg2", 1u << (23 - approx::lg2_table.x_bits)},
    Named{&approx::rcp_table, "rcp", 1u << (23 - approx::rcp_table.x_bits)},
    Named{&approx::sin_table, "sin", 1u << (23 - approx::sin_table.x_bits)},
    Named{&approx::rsqrt_table, "rsqrt", 1u << (24 - approx::rsqrt_table.x_bits)},
    Named{&approx::sqrt_table, "sqrt", 1u << (24 - approx::sqrt_table.x_bits)},
    Named{&approx::tanh_table, "tanh", 0},
};

const Named& find(const approx::Interpolator& table) {
  for (const Named& named : tables)
    if (named.table == &table) return named;
  return tables.back();
}

}  // namespace

unsigned segment_count(const approx::Interpolator& table) {
  const Named& named = find(table);
  if (named.count != 0) return named.count;
  const approx::Binade& last = approx::tanh_binades[approx::tanh_binade_count - 1];
  return last.first + (1u << (last.argument_bits - table.x_bits));
}

llvm::GlobalVariable* table_of(llvm::Module& module, const approx::Interpolator& table, unsigned column) {
  const std::string name = std::string("heddle.table.") + find(table).name + "." + std::to_string(column);
  if (llvm::GlobalVariable* known = module.getNamedGlobal(name)) return known;
  llvm::SmallVector<uint32_t, 128> words;
  for (unsigned i = 0; i < segment_count(table); ++i) {
    const approx::Segment& s = table.segments[i];
    words.push_back(static_cast<uint32_t>(column == 0 ? s.value : column == 1 ? s.slope : s.curve));
  }
  llvm::Constant* data = llvm::ConstantDataArray::get(module.getContext(), words);
  auto* variable =
      new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, name);
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  variable->setAlignment(llvm::Align(64));
  return variable;
}

}  // namespace heddle::exec::jit
