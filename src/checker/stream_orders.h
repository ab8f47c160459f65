// Whether what a program leaves behind depends on the order of work in different streams: kernels, copies and
// fills that nothing orders are run in other orders that streams, events and wait lists allow, before they
// run for the program, and the memory that they may write is put back in between. With a seed and no orders
// to try, they run in that order themselves.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analysis/written_memory.h"
#include "checker/order_reports.h"
#include "checker/reachable_memory.h"
#include "checker/settings.h"
#include "runtime/held_work.h"

namespace heddle::checker {

class StreamOrders final : public runtime::HeldWork::Conductor {
 public:
  using Item = runtime::HeldWork::Item;
  StreamOrders(const Settings& settings, std::shared_ptr<OrderReports> reports,
               std::shared_ptr<ReachableMemory> memory)
      : settings_(settings), reports_(std::move(reports)), memory_(std::move(memory)) {}
  std::vector<uint32_t> order(std::span<const Item> batch) override;
  void missed(std::span<const Item> batch) override;
  void gave_up() override;

 private:
  class Batch;
  const analysis::WrittenMemory& written(const exec::Launch& launch);
  void explore(std::span<const Item> items);

  const Settings settings_;
  const std::shared_ptr<OrderReports> reports_;
  const std::shared_ptr<ReachableMemory> memory_;
  // By one thread at a time:
  struct Written {
    std::shared_ptr<const module::Image> image;
    analysis::WrittenMemory memory;
  };
  std::map<std::pair<const module::Image*, uint32_t>, Written> written_;
  int64_t spent_ = 0;  // nanoseconds
};

}  // namespace heddle::checker
