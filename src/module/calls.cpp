#include "module/calls.h"

#include <algorithm>

#include "module/graph.h"
#include "module/layout.h"

namespace heddle::module {

namespace {

void sort_unique(std::vector<uint32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

void build_call_graph(Image& image, std::span<const Flow> flows) {
  std::vector<uint32_t> taken;
  for (uint32_t i = 0; i < image.functions.size(); ++i)
    if (image.functions[i].address_taken && !image.functions[i].entry) taken.push_back(i);
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t caller = 0; caller < image.functions.size(); ++caller) {
    Function& function = image.functions[caller];
    function.callees.clear();
    std::vector<bool> prototypes(function.prototypes.size());
    for (const Instruction& instruction : function.code) {
      if (flows[instruction.mnemonic] != Flow::call) continue;
      for (uint32_t i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = function.operands[instruction.first_operand + i];
        if (operand.kind == OperandKind::function) function.callees.push_back(operand.index);
        if (operand.kind == OperandKind::table)
          for (uint32_t target : function.tables[operand.index]) function.callees.push_back(target);
        if (operand.kind == OperandKind::prototype) prototypes[operand.index] = true;
      }
    }
    for (std::size_t p = 0; p < prototypes.size(); ++p)
      for (uint32_t target : taken)
        if (prototypes[p] && same_shape(function.prototypes[p], image.functions[target].signature))
          function.callees.push_back(target);
    sort_unique(function.callees);
    for (uint32_t callee : function.callees) edges.emplace_back(caller, callee);
  }
  const Components components =
      strongly_connected(Graph(static_cast<uint32_t>(image.functions.size()), edges));
  std::vector<uint32_t> members(components.count);
  for (uint32_t component : components.of) ++members[component];
  for (uint32_t i = 0; i < image.functions.size(); ++i)
    image.functions[i].recursive = members[components.of[i]] > 1;
  for (const auto& [caller, callee] : edges)
    if (caller == callee) image.functions[caller].recursive = true;
}

std::vector<uint32_t> reachable_functions(const Image& image, uint32_t from) {
  std::vector<uint32_t> found{from};
  std::vector<bool> seen(image.functions.size());
  seen[from] = true;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (uint32_t callee : image.functions[found[i]].callees)
      if (!seen[callee]) seen[callee] = true, found.push_back(callee);
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

class SharedLayout {
 public:
  SharedLayout(Image& image, std::span<const uint32_t> dynamic_align)
      : image_(image),
        dynamic_align_(dynamic_align),
        own_(image.functions.size()),
        used_(image.functions.size()) {
    for (uint32_t i = 0; i < image.symbols.size(); ++i) {
      const Symbol& symbol = image.symbols[i];
      if (symbol.space == Space::shared && symbol.owner != none) own_[symbol.owner].push_back(i);
    }
    for (uint32_t f = 0; f < image.functions.size(); ++f) {
      for (const Operand& operand : image.functions[f].operands) {
        const bool names = operand.kind == OperandKind::symbol || operand.kind == OperandKind::address;
        if (names && operand.index != none && image.symbols[operand.index].space == Space::shared)
          used_[f].push_back(operand.index);
      }
      sort_unique(used_[f]);
    }
  }

  void lay_out(uint32_t entry) {
    std::vector<uint32_t> module_level, others;
    std::vector<uint32_t> mine = own_used(entry);
    for (uint32_t f : reachable_functions(image_, entry)) {
      for (uint32_t symbol : used_[f])
        if (image_.symbols[symbol].owner == none) module_level.push_back(symbol);
      if (f == entry) continue;
      const auto own = own_used(f);
      others.insert(others.end(), own.begin(), own.end());
    }
    sort_unique(module_level);
    std::vector<uint32_t> order = std::move(mine);
    order.insert(order.end(), module_level.begin(), module_level.end());
    order.insert(order.end(), others.begin(), others.end());
    for (uint32_t symbol : own_[entry])
      if (!uses(entry, symbol)) order.push_back(symbol);
    place(image_.functions[entry], order);
  }

 private:
  bool uses(uint32_t function, uint32_t symbol) const {
    return std::binary_search(used_[function].begin(), used_[function].end(), symbol);
  }
  std::vector<uint32_t> own_used(uint32_t function) const {
    std::vector<uint32_t> result;
    for (uint32_t symbol : own_[function])
      if (uses(function, symbol)) result.push_back(symbol);
    return result;
  }

  void place(Function& entry, const std::vector<uint32_t>& order) {
    constexpr uint64_t most = 0xffffff00;
    uint64_t end = 0, dynamic_align = entry.unit < dynamic_align_.size() ? dynamic_align_[entry.unit] : 0;
    std::vector<uint32_t> dynamic;
    for (uint32_t index : order) {
      const Symbol& symbol = image_.symbols[index];
      if (symbol.dynamic_shared) {
        dynamic.push_back(index);
        dynamic_align = std::max<uint64_t>({dynamic_align, symbol.align, 16});
        continue;
      }
      end = align_up(end, symbol.align);
      entry.shared_layout.push_back({index, static_cast<uint32_t>(std::min(end, most))});
      end += symbol.size;
    }
    if (dynamic_align != 0) end = align_up(end, dynamic_align);
    end = std::min(end, most);  // more than any device has: the launch says so
    for (uint32_t index : dynamic) entry.shared_layout.push_back({index, static_cast<uint32_t>(end)});
    entry.dynamic_shared = !dynamic.empty();
    entry.static_shared_bytes = static_cast<uint32_t>(end);
    std::sort(entry.shared_layout.begin(), entry.shared_layout.end(),
              [](const auto& a, const auto& b) { return a.symbol < b.symbol; });
  }

  Image& image_;
  std::span<const uint32_t> dynamic_align_;
  std::vector<std::vector<uint32_t>> own_, used_;  // shared symbols by function: declared in it, named by it
};

}  // namespace

void lay_out_shared(Image& image, std::span<const uint32_t> dynamic_align) {
  SharedLayout layout(image, dynamic_align);
  for (uint32_t i = 0; i < image.functions.size(); ++i)
    if (image.functions[i].entry && image.functions[i].defined) layout.lay_out(i);
}

}  // namespace heddle::module
