#include "exec/jit/matrix/unit.h"

#include <algorithm>
#include <cstring>

namespace heddle::exec::jit::matrix {

namespace {

const Codes& codes_of(VectorLevel level) {
  switch (level) {
    case VectorLevel::avx512: return avx512::codes();
    case VectorLevel::avx2: return avx2::codes();
    case VectorLevel::v2: break;
  }
  return plain::codes();
}

int register_bits(Number n) { return n == Number::f64 ? 64 : 32; }
// That hold `elements` of each lane.
int registers_for(Number n, int elements) { return std::max(1, elements * bits_of(n) / register_bits(n)); }
uint32_t bytes_of(Number n, int registers) {
  return static_cast<uint32_t>(registers * register_bits(n) / 8) * warp_lanes;
}

}  // namespace

Plan make_plan(const Codes& codes, const Form& form) {
  Plan plan;
  const Size& size = form.size;
  plan.turned = form.wmma && size.n > size.m;
  const Number left = plan.turned ? form.b : form.a, right = plan.turned ? form.a : form.b;
  const int tall = std::max(size.m, size.n), wide = std::min(size.m, size.n);
  plan.rows = tall >= 16 ? 16 : 8;
  plan.left_blocks = tall / plan.rows;
  plan.right_blocks = wide / 8;
  plan.left = codes.left[static_cast<std::size_t>(left)];
  plan.right = codes.right[static_cast<std::size_t>(right)];
  const int stored = form.sparse ? size.k / 2 : size.k, lanes = static_cast<int>(warp_lanes);
  plan.left_registers = registers_for(left, plan.rows * stored / lanes);
  plan.right_registers = registers_for(right, 8 * size.k / lanes);
  plan.left_bytes = bytes_of(left, plan.left_registers);
  plan.right_bytes = bytes_of(right, plan.right_registers);
  plan.c_bytes = bytes_of(form.c, registers_for(form.c, plan.rows * 8 / lanes));
  plan.d_bytes = bytes_of(form.d, registers_for(form.d, plan.rows * 8 / lanes));
  plan.left_at = plan.turned ? form.b_at : form.a_at;
  plan.right_at = plan.turned ? form.a_at : form.b_at;
  plan.step = left == Number::f64 || left == Number::tf32 ? 4 : 8;
  plan.order = form.d == Number::f16 ? Order::plain : Order::even_first;
  if (form.d != Number::f64 && !is_integer(form.a))
    plan.multiply =
        codes.multiply[plan.step / 4 - 1][form.c == Number::f16 ? 1 : 0][form.d == Number::f16 ? 1 : 0];
  // fp8 are halves where they are multiplied.
  const bool wide_exponent = form.a == Number::bf16 || form.a == Number::tf32;
  plan.least = wide_exponent ? -126 : -14;
  const int c_half = form.c == Number::f16 ? 1 : 0, d_half = form.d == Number::f16 ? 1 : 0;
  if (form.sums == Form::Sums::whole) plan.sum = codes.sum_whole[plan.step / 4 - 1][c_half][d_half];
  if (form.sums == Form::Sums::pairs) plan.sum = codes.sum_pairs[form.sparse ? 1 : 0][d_half];
  return plan;
}

std::byte* Unit::begin(const Launch& launch, const Forms& forms, VectorLevel level) {
  launch_ = &launch;
  codes_ = &codes_of(level);
  instructions_.clear();
  of_site_.clear();
  for (const auto& [site, form] : forms) {
    Instruction& instruction = instructions_[site];
    instruction.form = &form;
    if (form.kind == Kind::product) instruction.plan = make_plan(*codes_, form);
    if (of_site_.size() <= site) of_site_.resize(site + 1);
    of_site_[site] = &instruction;
  }
  if (forms.empty()) return nullptr;
  if (scratch_ == nullptr) scratch_ = std::make_unique<Scratch>();
  return scratch_->frame;
}

const Form* Unit::form_at(uint32_t site) const {
  return site < of_site_.size() && of_site_[site] != nullptr ? of_site_[site]->form : nullptr;
}

bool Unit::run(uint32_t site, const Context& context, std::byte* frame) {
  const Instruction& instruction = *of_site_[site];
  const Form& form = *instruction.form;
  switch (form.kind) {
    case Kind::product: product(form, instruction.plan, frame); return true;
    case Kind::quads: run_quads(form, *codes_, frame); return true;
    default: return run_memory(form, *codes_, *launch_, context, frame);
  }
}

void Unit::product(const Form& form, const Plan& plan, std::byte* frame) {
  if (is_integer(form.a))
    integer_blocks(form, plan, frame);
  else
    real_blocks(form, plan, frame);
}

void Unit::real_blocks(const Form& form, const Plan& plan, std::byte* frame) {
  Scratch& s = *scratch_;
  const auto half = static_cast<std::size_t>(plan.rows / 8 - 1);
  const auto block = [](uint32_t at, uint32_t bytes, int number) {
    return at + bytes * static_cast<uint32_t>(number);
  };
  for (int j = 0; j < plan.right_blocks; ++j)
    plan.right(frame + block(plan.right_at, plan.right_bytes, j), plan.right_registers, plan.order,
               s.right[j]);
  for (int i = 0; i < plan.left_blocks; ++i) {
    const std::byte* left = frame + block(plan.left_at, plan.left_bytes, i);
    if (form.sparse) {
      plan.left(left, plan.left_registers, s.stored);
      spread(form, plan.step, frame, s.stored, s.left);
    } else {
      plan.left(left, plan.left_registers, s.left);
    }
    if (form.scaled) scale(form, frame, s.left, s.right[0], plan.order);
    for (int j = 0; j < plan.right_blocks; ++j) {
      const std::byte* c = frame + block(form.c_at, plan.c_bytes, i + j);
      std::byte* d = frame + block(form.d_at, plan.d_bytes, i + j);
      if (form.wmma && form.a == Number::tf32) {  // four by four along k
        for (int k = 0; k < form.size.k; k += 4, c = d)
          plan.sum(s.left + 16 * k, s.right[j] + 8 * k, 4, plan.least, form.saturate, c, d);
      } else if (plan.sum != nullptr)
        plan.sum(s.left, s.right[j], form.size.k, plan.least, form.saturate, c, d);
      else if (plan.multiply != nullptr)
        plan.multiply(s.left, s.right[j], form.size.k, form.saturate, c, d);
      else
        codes_->multiply_f64[half](s.left, s.right[j], form.size.k, c, d);
    }
  }
}

void Unit::integer_blocks(const Form& form, const Plan& plan, std::byte* frame) {
  Scratch& s = *scratch_;
  const auto half = static_cast<std::size_t>(plan.rows / 8 - 1);
  const bool bits = form.a == Number::b1;
  for (int j = 0; j < plan.right_blocks; ++j)
    plan.right(frame + plan.right_at + plan.right_bytes * static_cast<uint32_t>(j), plan.right_registers,
               Order::even_first, s.right[j]);
  for (int i = 0; i < plan.left_blocks; ++i) {
    const std::byte* left = frame + plan.left_at + plan.left_bytes * static_cast<uint32_t>(i);
    if (form.sparse) {
      plan.left(left, plan.left_registers, s.stored);
      spread(form, 16, frame, reinterpret_cast<const int16_t*>(s.stored), reinterpret_cast<int16_t*>(s.left));
    } else {
      plan.left(left, plan.left_registers, s.left);
    }
    for (int j = 0; j < plan.right_blocks; ++j) {
      const auto number = static_cast<uint32_t>(i + j);
      const std::byte* c = frame + form.c_at + plan.c_bytes * number;
      std::byte* d = frame + form.d_at + plan.d_bytes * number;
      if (bits)
        codes_->multiply_bits[half](reinterpret_cast<const uint32_t*>(s.left),
                                    reinterpret_cast<const uint32_t*>(s.right[j]), form.size.k,
                                    form.exclusive, c, d);
      else
        codes_->multiply_integers[half](reinterpret_cast<const int16_t*>(s.left),
                                        reinterpret_cast<const int16_t*>(s.right[j]), form.size.k,
                                        form.saturate, c, d);
    }
  }
}

}  // namespace heddle::exec::jit::matrix
