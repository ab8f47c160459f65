#include "analysis/resources.h"

#include <algorithm>
#include <vector>

#include "module/calls.h"
#include "module/graph.h"

namespace heddle::analysis {

namespace {

constexpr uint64_t frame_unit = 16;  // frames begin at multiples of it

uint64_t frame_bytes(const module::Function& function) {
  return (function.frame_bytes + frame_unit - 1) / frame_unit * frame_unit;
}

// Longest chain of frames below each function. Functions that call each other share one component, whose
// members count once each: components are numbered callees first.
uint64_t deepest_stack(const module::Image& image, const std::vector<uint32_t>& functions, uint32_t entry) {
  std::vector<uint32_t> number(image.functions.size(), module::none);
  for (uint32_t i = 0; i < functions.size(); ++i) number[functions[i]] = i;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t i = 0; i < functions.size(); ++i)
    for (uint32_t callee : image.functions[functions[i]].callees) edges.emplace_back(i, number[callee]);
  const module::Components components =
      module::strongly_connected(module::Graph(static_cast<uint32_t>(functions.size()), edges));
  std::vector<uint64_t> own(components.count), below(components.count);
  for (uint32_t i = 0; i < functions.size(); ++i)
    own[components.of[i]] += frame_bytes(image.functions[functions[i]]);
  std::sort(edges.begin(), edges.end(),
            [&](const auto& a, const auto& b) { return components.of[a.first] < components.of[b.first]; });
  for (const auto& [from, to] : edges) {
    const uint32_t caller = components.of[from], callee = components.of[to];
    if (caller != callee) below[caller] = std::max(below[caller], own[callee] + below[callee]);
  }
  const uint32_t top = components.of[number[entry]];
  return own[top] + below[top];
}

}  // namespace

ThreadResources estimate_thread(const module::Image& image, uint32_t entry) {
  ThreadResources result;
  const std::vector<uint32_t> functions = module::reachable_functions(image, entry);
  for (uint32_t index : functions) {
    const module::Function& function = image.functions[index];
    result.recursive |= function.recursive;
    result.undefined |= !function.defined;
  }
  result.stack_bytes = image.static_local_bytes + deepest_stack(image, functions, entry);
  return result;
}

}  // namespace heddle::analysis
