#include "api/cuda_state/graph_exec.h"

#include <algorithm>

#include "api/cuda_state/capture.h"

namespace heddle::cuda {

namespace {

void gather_conditions(const Graph& graph, std::vector<ConditionRef>& values) {
  for (const ConditionRef& value : graph.conditions())
    if (value->every_launch()) values.push_back(value);
  for (const NodeRef& node : graph.nodes())
    for (const GraphRef& part : parts_of(node->work())) gather_conditions(*part, values);
}

runtime::OperationRef defaults_of(const Graph& graph) {
  std::vector<ConditionRef> values;
  gather_conditions(graph, values);
  return values.empty() ? nullptr : make_assignment(std::move(values));
}

// What the body of a conditional node may hold (CUDA C++ Programming Guide, "Conditional node body graph
// requirements").
bool fits_a_body(const Work& work) {
  switch (type_of(work)) {
    case NodeType::kernel:
    case NodeType::memcpy:
    case NodeType::memset:
    case NodeType::empty:
    case NodeType::graph:
    case NodeType::conditional: return true;
    default: return false;
  }
}

}  // namespace

Answer<std::shared_ptr<GraphExec>> GraphExec::instantiate(const ContextRef& context, Graph& graph,
                                                          uint64_t flags) {
  if (Status state = context->check(); !state) return state.error();
  auto exec = std::make_shared<GraphExec>(context, flags);
  std::map<const GraphNode*, NodeRef> copies;
  exec->graph_ = graph.clone(copies);
  std::vector<uint32_t> ends;
  if (Status made = exec->append(graph, {}, ends); !made) return made.error();
  exec->chain_ = exec->is_chain();
  exec->defaults_ = defaults_of(graph);
  exec->handle_ = context->process().handles().graph_execs.add(exec);
  if (exec->handle_ == 0) return failure(Code::out_of_memory, "too many graphs");
  return exec;
}

// Nodes of child graphs lie between those of the graph.
Status GraphExec::append(const Graph& graph, std::vector<uint32_t> before, std::vector<uint32_t>& ends) {
  std::map<const GraphNode*, std::vector<uint32_t>> ends_of;
  for (const GraphNode* node : graph.in_order()) {
    std::vector<uint32_t> after = node->dependencies().empty() ? before : std::vector<uint32_t>();
    for (const GraphNode* dependency : node->dependencies())
      for (const uint32_t end : ends_of[dependency])
        if (std::ranges::find(after, end) == after.end()) after.push_back(end);
    if (const auto* child = std::get_if<ChildWork>(&node->work())) {
      if (Status made = append(*child->graph, after, ends_of[node]); !made) return made;
      if (ends_of[node].empty()) ends_of[node] = after;
    } else {
      const auto index = static_cast<uint32_t>(steps_.size());
      Step step;
      step.node = node->handle();
      step.work = node->work();
      if (const auto* conditional = std::get_if<ConditionalWork>(&step.work))
        for (const GraphRef& part : conditional->bodies) {
          for (const NodeRef& inner : part->nodes())
            if (!fits_a_body(inner->work()))
              return failure(Code::not_supported, "a " + std::string(name(inner->work())) +
                                                      " node in the body of a conditional node");
          auto body = std::make_shared<GraphExec>(context_, flags_);
          std::vector<uint32_t> unused;
          if (Status made = body->append(*part, {}, unused); !made) return made;
          step.bodies.push_back(std::move(body));
        }
      if (Status made = prepare(step); !made) return made;
      for (const uint32_t one : after) steps_[one].last = false;
      step.before = std::move(after);
      step_of_[step.node] = index;
      steps_.push_back(std::move(step));
      ends_of[node] = {index};
    }
    if (node->dependents().empty()) ends.insert(ends.end(), ends_of[node].begin(), ends_of[node].end());
  }
  return Unit{};
}

Body GraphExec::body() const {
  const std::lock_guard lock(mutex_);
  Body operations;
  for (const Step& step : steps_)
    if (step.enabled && step.operation != nullptr) operations.push_back(step.operation);
  return operations;
}

Status GraphExec::prepare(Step& step) const {
  if (const auto* conditional = std::get_if<ConditionalWork>(&step.work)) {
    std::vector<Body> bodies;
    for (const auto& body : step.bodies) bodies.push_back(body->body());
    step.operation = make_conditional(*conditional, std::move(bodies));
    return Unit{};
  }
  Context* context = context_.get();
  if (const auto* kernel = std::get_if<KernelWork>(&step.work))
    context = &kernel->function->module().context();
  auto operation = make_operation(*context, step.work);
  if (!operation) return operation.error();
  step.operation = std::move(*operation);
  return Unit{};
}

bool GraphExec::is_chain() const {
  for (uint32_t i = 0; i < steps_.size(); ++i)
    if (i == 0 ? !steps_[i].before.empty() : steps_[i].before != std::vector<uint32_t>{i - 1}) return false;
  return true;
}

Status GraphExec::destroy() {
  if (context_->process().handles().graph_execs.remove(handle_) == nullptr)
    return invalid_value("the executable graph was destroyed before");
  return Unit{};
}

Answer<runtime::TaskRef> GraphExec::start(Step& step, runtime::Stream& stream,
                                          std::span<const runtime::TaskRef> after) {
  runtime::SubmitOptions options;
  std::vector<runtime::TaskRef> before(after.begin(), after.end());
  if (const auto* wait = std::get_if<WaitWork>(&step.work); wait != nullptr && step.enabled)
    if (auto reached = wait->event->runtime().last()) before.push_back(std::move(reached));
  options.after = before;
  auto task = stream.submit(step.enabled ? step.operation : nullptr, std::move(options));
  if (!task) return failure_of(task.error());
  if (const auto* record = std::get_if<RecordWork>(&step.work); record != nullptr && step.enabled) {
    record->event->set_capture_point({});
    record->event->runtime().reached_with(*task);
  }
  return *task;
}

Status GraphExec::launch_chain(Stream& stream) {
  const std::vector<runtime::TaskRef> none;
  if (defaults_ != nullptr) {
    runtime::SubmitOptions options;
    if (last_launch_ != nullptr) options.after = std::span(&last_launch_, 1);
    auto begun = stream.runtime().submit(defaults_, std::move(options));
    if (!begun) return failure_of(begun.error());
  }
  for (Step& step : steps_) {
    auto task = start(step, stream.runtime(),
                      last_launch_ == nullptr ? std::span(none) : std::span(&last_launch_, 1));
    if (!task) return task.error();
    if (&step == &steps_.back()) last_launch_ = *task;
  }
  return Unit{};
}

Status GraphExec::launch_branches(Stream& stream) {
  if (branches_ == nullptr) {
    runtime::StreamOptions options;
    options.blocking = false;
    options.in_order = false;
    auto made = context_->runtime()->create_stream(options);
    if (!made) return failure_of(made.error());
    branches_ = *made;
  }
  runtime::SubmitOptions entry_options;
  if (last_launch_ != nullptr) entry_options.after = std::span(&last_launch_, 1);
  auto entry = stream.runtime().submit(defaults_, std::move(entry_options));
  if (!entry) return failure_of(entry.error());
  std::vector<runtime::TaskRef> tasks, ends;
  for (Step& step : steps_) {
    std::vector<runtime::TaskRef> after;
    for (const uint32_t before : step.before) after.push_back(tasks[before]);
    if (after.empty()) after.push_back(*entry);
    auto task = start(step, *branches_, after);
    if (!task) return task.error();
    tasks.push_back(*task);
    if (step.last) ends.push_back(*task);
  }
  runtime::SubmitOptions exit_options;
  exit_options.after = ends;
  auto exit = stream.runtime().mark(std::move(exit_options));
  if (!exit) return failure_of(exit.error());
  last_launch_ = *exit;
  return Unit{};
}

Status GraphExec::launch(Stream& stream) {
  const std::lock_guard lock(mutex_);
  if (const auto capture = stream.capture()) return capture->add(stream, ChildWork{graph_});
  if (stream.legacy())
    if (Status free = no_blocking_capture(stream.context()); !free) return free;
  if (Status state = status_of(context_->runtime()->begin(runtime::Site::launch)); !state) return state;
  context_->runtime()->flush_output();
  if (last_launch_ != nullptr && last_launch_->done()) last_launch_ = nullptr;
  return chain_ ? launch_chain(stream) : launch_branches(stream);
}

GraphExec::Step* GraphExec::step_of(const GraphNode& node) {
  const auto found = step_of_.find(node.handle());
  return found == step_of_.end() ? nullptr : &steps_[found->second];
}

GraphExec* GraphExec::holder_of(const GraphNode& node) {
  if (step_of(node) != nullptr) return this;
  for (Step& step : steps_)
    for (const auto& body : step.bodies)
      if (GraphExec* holder = body->holder_of(node)) return holder;
  return nullptr;
}

Status GraphExec::refresh_conditionals() {
  for (Step& step : steps_) {
    if (step.bodies.empty()) continue;
    for (const auto& body : step.bodies)
      if (Status made = body->refresh_conditionals(); !made) return made;
    if (Status made = prepare(step); !made) return made;
  }
  return Unit{};
}

namespace {
Failure foreign_node() { return invalid_value("the node is not of the graph that this was made of"); }
}  // namespace

Status GraphExec::set_work(const GraphNode& node, Work work) {
  const std::lock_guard lock(mutex_);
  GraphExec* holder = holder_of(node);
  if (holder == nullptr) return foreign_node();
  Step& step = *holder->step_of(node);
  if (step.work.index() != work.index())
    return invalid_value("a " + std::string(name(step.work)) + " node cannot become a " +
                         std::string(name(work)) + " node");
  if (std::holds_alternative<ConditionalWork>(work) || std::holds_alternative<AllocateWork>(work) ||
      std::holds_alternative<FreeWork>(work))
    return invalid_value("the parameters of a " + std::string(name(work)) + " node cannot change");
  if (const auto* before = std::get_if<KernelWork>(&step.work);
      before != nullptr &&
      &before->function->module().context() != &std::get<KernelWork>(work).function->module().context())
    return invalid_value("the kernel belongs to another context than the node's");
  Step changed = step;
  changed.work = std::move(work);
  if (Status made = prepare(changed); !made) return made;
  step = std::move(changed);
  return refresh_conditionals();
}

Status GraphExec::set_child(const GraphNode& node, const Graph& graph) {
  const auto* child = std::get_if<ChildWork>(&node.work());
  if (child == nullptr) return invalid_value("a " + std::string(name(node.work())) + " node");
  const std::vector<GraphNode*> old = child->graph->in_order(), now = graph.in_order();
  if (old.size() != now.size()) return invalid_value("the graph has another number of nodes");
  std::map<const GraphNode*, std::size_t> old_place, now_place;
  for (std::size_t i = 0; i < old.size(); ++i) {
    old_place[old[i]] = now_place[now[i]] = i;
    bool same = old[i]->work().index() == now[i]->work().index() &&
                old[i]->dependencies().size() == now[i]->dependencies().size();
    for (std::size_t d = 0; same && d < old[i]->dependencies().size(); ++d)
      same = old_place[old[i]->dependencies()[d]] == now_place[now[i]->dependencies()[d]];
    if (!same) return invalid_value("the graph has another shape than the child graph");
  }
  for (std::size_t i = 0; i < old.size(); ++i) {
    Status set = std::holds_alternative<ChildWork>(old[i]->work())
                     ? set_child(*old[i], *std::get<ChildWork>(now[i]->work()).graph)
                 : std::holds_alternative<ConditionalWork>(old[i]->work())
                     ? Status(Unit{})
                     : set_work(*old[i], now[i]->work());
    if (!set) return set;
  }
  return Unit{};
}

Status GraphExec::set_enabled(const GraphNode& node, bool enabled) {
  const std::lock_guard lock(mutex_);
  GraphExec* holder = holder_of(node);
  if (holder == nullptr) return foreign_node();
  holder->step_of(node)->enabled = enabled;
  return refresh_conditionals();
}

Answer<bool> GraphExec::enabled(const GraphNode& node) const {
  const std::lock_guard lock(mutex_);
  auto* self = const_cast<GraphExec*>(this);
  GraphExec* holder = self->holder_of(node);
  if (holder == nullptr) return foreign_node();
  return holder->step_of(node)->enabled;
}

Status GraphExec::take(GraphExec& fresh, Refusal& refusal, bool try_only) {
  const auto refuse = [&](Why why, uint64_t node, const char* what) {
    refusal = {why, node, 0};
    return failure(Code::graph_update_failure, what);
  };
  if (fresh.steps_.size() != steps_.size())
    return refuse(Why::topology, 0, "the graph has another number of nodes");
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Step& old = steps_[i];
    Step& now = fresh.steps_[i];
    if (try_only) {
      if (old.work.index() != now.work.index())
        return refuse(Why::node_type, now.node, "a node is of another type");
      if (old.before != now.before) return refuse(Why::topology, now.node, "a node depends on others");
      const auto* kernel = std::get_if<KernelWork>(&old.work);
      if (kernel != nullptr && &kernel->function->module().context() !=
                                   &std::get<KernelWork>(now.work).function->module().context())
        return refuse(Why::unsupported_function, now.node, "a kernel belongs to another context");
      if (old.bodies.size() != now.bodies.size())
        return refuse(Why::parameters, now.node, "a conditional node has another number of bodies");
    }
    for (std::size_t b = 0; b < old.bodies.size(); ++b)
      if (Status same = old.bodies[b]->take(*now.bodies[b], refusal, try_only); !same) return same;
    if (try_only) continue;
    now.enabled = old.enabled;
    now.node = old.node;
    now.bodies = old.bodies;
    old = std::move(now);
  }
  return Unit{};
}

Status GraphExec::update(Graph& graph, Refusal& refusal) {
  GraphExec fresh(context_, flags_);
  std::vector<uint32_t> ends;
  if (Status made = fresh.append(graph, {}, ends); !made) {
    refusal.why = Why::parameters;
    return failure(Code::graph_update_failure, made.error().message);
  }
  const std::lock_guard lock(mutex_);
  if (Status same = take(fresh, refusal, true); !same) return same;
  if (Status taken = take(fresh, refusal, false); !taken) return taken;
  defaults_ = defaults_of(graph);
  std::map<const GraphNode*, NodeRef> copies;
  graph_ = graph.clone(copies);
  return refresh_conditionals();
}

}  // namespace heddle::cuda
