#include "exec/jit/ir/meaning.h"

namespace heddle::exec::jit {

namespace {

// The target that a program is written for may have no subnormals where the device has them.
bool target_flushes(const module::Image& image) {
  if (image.target == nullptr) return false;
  const unsigned sm = image.target->sm;
  const arch::Architecture* target =
      arch::find_architecture({static_cast<uint8_t>(sm / 10), static_cast<uint8_t>(sm % 10)});
  return target != nullptr && target->has(arch::Feature::flush_denormals_f32);
}

}  // namespace

Meaning meaning_of(const module::Image& image, const arch::Device& device, Observed observed,
                   const Dim3& cluster) {
  Meaning meaning;
  meaning.observed = observed;
  meaning.cluster = cluster;
  meaning.independent = device.has(arch::Feature::independent_thread_scheduling);
  meaning.flushes_f32 = device.has(arch::Feature::flush_denormals_f32) || target_flushes(image);
  meaning.truncates_mad = device.has(arch::Feature::truncating_mad_f32);
  meaning.address_bits = image.address_bits;
  meaning.most_warps = device.arch.multiprocessor.max_warps;
  meaning.multiprocessors = device.board.multiprocessors;
  meaning.reserved_shared = device.arch.shared.reserved_per_block;
  return meaning;
}

}  // namespace heddle::exec::jit
