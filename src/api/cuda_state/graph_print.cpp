// Graphs as pictures (Graphviz), for cudaGraphDebugDotPrint.
#include <fstream>

#include "api/cuda_state/graph_calls.h"

namespace heddle::cuda {
namespace {

std::string text(const exec::Dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

// What a node does, in the lines of its box.
std::string label_of(const Work& work, bool verbose) {
  std::string label(name(work));
  if (const auto* kernel = std::get_if<KernelWork>(&work)) {
    label += "\\n" + kernel->function->name();
    if (verbose)
      label += "\\n<<<" + text(kernel->grid) + ", " + text(kernel->block) + ", " +
               std::to_string(kernel->dynamic_shared) + ">>>";
  }
  if (const auto* library = std::get_if<LibraryWork>(&work))
    label += "\\n" + std::string(library->work->name());
  if (!verbose) return label;
  if (const auto* copy = std::get_if<CopyWork>(&work))
    label += "\\n" + std::to_string(copy->request.extent.bytes) + " x " +
             std::to_string(copy->request.extent.rows) + " x " + std::to_string(copy->request.extent.slices) +
             " bytes";
  if (const auto* fill = std::get_if<FillWork>(&work))
    label +=
        "\\n" + std::to_string(fill->extent.bytes) + " x " + std::to_string(fill->extent.rows) + " bytes";
  if (const auto* memory = std::get_if<AllocateWork>(&work))
    label += "\\n" + std::to_string(memory->bytes) + " bytes";
  return label;
}

void print(std::ostream& out, const Graph& graph, bool verbose, std::size_t& clusters) {
  const std::size_t own = clusters++;
  out << "subgraph cluster_" << own << " {\n  label=\"graph_" << own << "\";\n";
  std::map<const GraphNode*, std::size_t> numbers;
  for (const NodeRef& node : graph.nodes()) {
    const std::size_t number = numbers.size();
    numbers[node.get()] = number;
    out << "  \"graph_" << own << "_node_" << number << "\" [shape=\"record\" label=\"" << number << ": "
        << label_of(node->work(), verbose) << "\"];\n";
    for (const GraphRef& part : parts_of(node->work())) {
      out << "  \"graph_" << own << "_node_" << number << "\" -> \"graph_" << clusters
          << "_node_0\" [style=dashed];\n";
      print(out, *part, verbose, clusters);
    }
  }
  for (const Edge& edge : graph.edges()) {
    out << "  \"graph_" << own << "_node_" << numbers[edge.from] << "\" -> \"graph_" << own << "_node_"
        << numbers[edge.to] << "\"";
    if (edge.data != EdgeData{})
      out << " [label=\"" << int{edge.data.from_port} << " -> " << int{edge.data.to_port} << "\"]";
    out << ";\n";
  }
  out << "}\n";
}

}  // namespace

Status graph_print(GraphHandle handle, const char* path, unsigned flags) {
  auto graph = find_graph(Process::get(), handle);
  if (!graph) return graph.error();
  if (path == nullptr) return invalid_value("the path is NULL");
  std::ofstream file(path);
  file << "digraph dot {\n";
  std::size_t clusters = 0;
  print(file, **graph, flags != 0, clusters);
  file << "}\n";
  if (!file) return failure(Code::operating_system, std::string("cannot write '") + path + "'");
  return Unit{};
}

}  // namespace heddle::cuda
