#include "module/math_function.h"

namespace heddle::module {

namespace {

using Sizes = std::vector<uint64_t>;

Sizes sizes(const std::vector<Parameter>& parameters) {
  Sizes all;
  for (const Parameter& p : parameters) all.push_back(p.size);
  return all;
}

std::string describe(const Sizes& results, const Sizes& parameters) {
  const auto list = [](const Sizes& sizes) {
    std::string text;
    for (const uint64_t bytes : sizes) text += (text.empty() ? "" : ", ") + std::to_string(bytes);
    return "(" + text + (sizes.empty() ? ")" : " bytes)");
  };
  return "results " + list(results) + " and parameters " + list(parameters);
}

}  // namespace

const math::Function* math_function(const Function& function) {
  return function.defined ? nullptr : math::find(function.name);
}

std::string math_problem(const Function& function, unsigned address_bits) {
  const math::Function* found = math::find(function.name);
  if (found == nullptr) return {};
  const auto bytes = [&](math::Value value) -> uint64_t {
    return value == math::Value::integer ? 4 : found->bits() / 8;
  };
  Sizes results, parameters;
  if (found->returns) results.push_back(bytes(found->results[0]));
  for (unsigned i = 0; i < found->source_count(); ++i) parameters.push_back(bytes(found->sources[i]));
  for (unsigned i = 0; i < found->pointer_count(); ++i) parameters.push_back(address_bits / 8);
  const Sizes declared_results = sizes(function.signature.results),
              declared = sizes(function.signature.params);
  if (declared_results != results || declared != parameters)
    return "'" + function.name + "' is declared with " + describe(declared_results, declared) +
           "; the device math function of this name has " + describe(results, parameters);
  return {};
}

}  // namespace heddle::module
