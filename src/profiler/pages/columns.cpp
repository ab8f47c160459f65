#include "profiler/pages/columns.h"

namespace heddle::profiler {

Columns::Columns(const Counts& counts) {
  using C = Counter;
  const auto d = [&](Counter counter) { return static_cast<double>(at(counts, counter)); };
  loads = d(C::global_load_requests) + d(C::global_copy_requests);
  stores = d(C::global_store_requests);
  atomics = d(C::global_atom_requests) + d(C::global_red_requests);
  local = d(C::local_load_requests) + d(C::local_store_requests);
  load_transactions = {d(C::global_load_transactions) + d(C::global_copy_transactions), loads};
  store_transactions = {d(C::global_store_transactions), stores};
  load_bytes = {d(C::global_load_bytes) + d(C::global_copy_bytes),
                d(C::global_load_transaction_bytes) + d(C::global_copy_transaction_bytes)};
  store_bytes = {d(C::global_store_bytes), d(C::global_store_transaction_bytes)};
  shared = d(C::shared_load_wavefronts) + d(C::shared_store_wavefronts) + d(C::shared_atom_wavefronts) +
           d(C::shared_copy_wavefronts);
  conflicts = shared - (d(C::shared_load_ideal_wavefronts) + d(C::shared_store_ideal_wavefronts) +
                        d(C::shared_atom_ideal_wavefronts) + d(C::shared_copy_ideal_wavefronts));
  instructions = d(C::inst);
  branches = d(C::branches);
  divergent = d(C::divergent_branches);
  threads = {d(C::thread_inst), instructions};
}

}  // namespace heddle::profiler
