#include "api/cuda_state/capture.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "api/cuda_state/resources.h"

namespace heddle::cuda {
namespace {

std::atomic<uint64_t> next_capture_id{1};

// Captures that are going on: few, and looked through only when there are any.
struct Ongoing {
  std::mutex mutex;
  std::vector<std::weak_ptr<Capture>> captures;
  std::atomic<int> blocking{0}, global{0};
};
Ongoing& ongoing() {
  static auto* const all = new Ongoing;  // for the process's whole life
  return *all;
}

std::vector<std::shared_ptr<Capture>> all_captures() {
  std::vector<std::shared_ptr<Capture>> captures;
  const std::lock_guard lock(ongoing().mutex);
  for (const auto& weak : ongoing().captures)
    if (auto capture = weak.lock()) captures.push_back(std::move(capture));
  return captures;
}

void invalidate_all() {
  for (const auto& capture : all_captures()) capture->invalidate();
}

Failure invalidated() { return failure(Code::capture_invalidated, "the capture was made invalid before"); }

// Every node from which one of `from` can be reached, those included.
std::set<const GraphNode*> ancestors(std::span<const NodeRef> from) {
  std::set<const GraphNode*> seen;
  std::vector<const GraphNode*> open;
  for (const NodeRef& node : from) open.push_back(node.get());
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    for (const GraphNode* before : node->dependencies()) open.push_back(before);
  }
  return seen;
}

}  // namespace

Capture::Capture(const StreamRef& origin, CaptureMode mode, std::shared_ptr<Graph> graph, bool new_graph)
    : id_(next_capture_id.fetch_add(1)),
      mode_(mode),
      graph_(std::move(graph)),
      new_graph_(new_graph),
      thread_captures_(thread().captures),
      origin_(origin.get()) {}

Status Capture::begin(const StreamRef& origin, CaptureMode mode, std::shared_ptr<Graph> graph,
                      std::span<const NodeRef> dependencies) {
  if (origin->legacy()) return failure(Code::capture_unsupported, "the legacy stream cannot be captured");
  if (origin->capturing()) return failure(Code::illegal_state, "the stream is being captured already");
  if (Status state = origin->context().check(); !state) return state;
  const bool new_graph = graph == nullptr;
  if (new_graph) {
    graph = Graph::create(origin->context().process());
    tell_resource([&] {
      return ResourceFacts{.kind = Resource::graph, .handle = graph->handle(), .graph = graph->handle()};
    });
  }
  auto capture = std::make_shared<Capture>(origin, mode, std::move(graph), new_graph);
  capture->branches_[origin.get()] = {origin, {dependencies.begin(), dependencies.end()}};
  capture->blocking_ = origin->blocking();
  {
    const std::lock_guard lock(ongoing().mutex);
    std::erase_if(ongoing().captures, [](const auto& weak) { return weak.expired(); });
    ongoing().captures.push_back(capture);
  }
  if (capture->blocking_) ++ongoing().blocking;
  if (mode == CaptureMode::global) ++ongoing().global;
  if (mode != CaptureMode::relaxed) ++*thread().captures;
  origin->set_capture(capture);
  return Unit{};
}

void Capture::leave() {
  for (auto& [key, branch] : branches_) branch.stream->set_capture(nullptr);
  branches_.clear();
  if (blocking_) --ongoing().blocking;
  if (mode_ == CaptureMode::global) --ongoing().global;
  if (mode_ != CaptureMode::relaxed) --*thread_captures_;
}

Answer<std::shared_ptr<Graph>> Capture::end(Stream& stream) {
  const std::shared_ptr<Capture> capture = stream.capture();
  if (capture == nullptr) return failure(Code::illegal_state, "the stream is not being captured");
  if (capture->mode_ != CaptureMode::relaxed && capture->thread_captures_ != thread().captures)
    return failure(Code::capture_wrong_thread, "the capture was begun by another thread");
  const std::lock_guard lock(capture->mutex_);
  if (capture->branches_.empty()) return invalidated();  // abandoned by another thread meanwhile
  if (capture->origin_ != &stream)
    return failure(Code::capture_unmatched, "the capture was begun on another stream");
  const bool valid = capture->valid_;
  const std::set<const GraphNode*> reached = ancestors(capture->branches_[&stream].last);
  bool joined = true;
  for (const auto& [key, branch] : capture->branches_)
    for (const NodeRef& node : branch.last) joined = joined && reached.contains(node.get());
  capture->valid_ = false;
  capture->leave();
  if (!valid) return invalidated();
  if (!joined)
    return failure(Code::capture_unjoined, "work of other streams in the capture was not waited for");
  return capture->graph_;
}

bool Capture::valid() const {
  const std::lock_guard lock(mutex_);
  return valid_;
}

void Capture::invalidate() {
  const std::lock_guard lock(mutex_);
  valid_ = false;
}

void Capture::abandon(const Stream& stream) {
  const std::lock_guard lock(mutex_);
  if (&stream != origin_ || branches_.empty()) return;
  valid_ = false;
  leave();
}

void Capture::abandon(const Context& context) {
  const std::lock_guard lock(mutex_);
  // Where it is over already, the first stream may be gone.
  if (branches_.empty() || &origin_->context() != &context) return;
  valid_ = false;
  leave();
}

void abandon_captures(const Context& context) {
  for (const auto& capture : all_captures()) capture->abandon(context);
}

Status Capture::check_locked() const {
  if (!valid_) return invalidated();
  return Unit{};
}

Status Capture::add(Stream& stream, Work work) {
  const std::lock_guard lock(mutex_);
  if (Status state = check_locked(); !state) return state;
  Branch& branch = branches_[&stream];
  auto node = graph_->add(std::move(work), branch.last);
  if (!node) {
    valid_ = false;
    return node.error();
  }
  branch.last = {*node};
  return Unit{};
}

Status Capture::record(Stream& stream, Event& event) {
  const std::lock_guard lock(mutex_);
  if (Status state = check_locked(); !state) return state;
  event.set_capture_point(Event::CapturePoint{weak_from_this(), branches_[&stream].last});
  return Unit{};
}

Status Capture::join(Stream& stream, const Event::CapturePoint& point) {
  const std::lock_guard lock(mutex_);
  if (Status state = check_locked(); !state) return state;
  if (stream.legacy()) {
    valid_ = false;
    return failure(Code::capture_implicit, "the legacy stream cannot become part of a capture");
  }
  const auto found = branches_.find(&stream);
  if (found == branches_.end()) {
    branches_[&stream] = {stream.shared_from_this(), point.nodes};
    if (stream.blocking() && !blocking_) {
      blocking_ = true;
      ++ongoing().blocking;
    }
    stream.set_capture(shared_from_this());
    return Unit{};
  }
  for (const NodeRef& node : point.nodes)
    if (std::ranges::find(found->second.last, node) == found->second.last.end())
      found->second.last.push_back(node);
  return Unit{};
}

std::vector<NodeRef> Capture::dependencies(const Stream& stream) const {
  const std::lock_guard lock(mutex_);
  const auto found = branches_.find(&stream);
  return found == branches_.end() ? std::vector<NodeRef>() : found->second.last;
}

Status Capture::set_dependencies(const Stream& stream, std::span<const NodeRef> nodes, bool add) {
  const std::lock_guard lock(mutex_);
  if (Status state = check_locked(); !state) return state;
  std::vector<NodeRef>& last = branches_[&stream].last;
  if (!add) last.clear();
  for (const NodeRef& node : nodes)
    if (std::ranges::find(last, node) == last.end()) last.push_back(node);
  return Unit{};
}

Status join_capture(Stream& stream, const Event::CapturePoint& point) {
  const std::shared_ptr<Capture> capture = point.capture.lock();
  const std::shared_ptr<Capture> own = stream.capture();
  if (capture == nullptr || (own != nullptr && own != capture)) {
    if (own != nullptr) own->invalidate();
    return capture == nullptr ? failure(Code::captured_event, "the event belongs to a capture that has ended")
                              : failure(Code::capture_merge, "the event belongs to another capture");
  }
  return capture->join(stream, point);
}

Status refuse_while_capturing(Stream& stream) {
  if (const auto capture = stream.capture()) capture->invalidate();
  return failure(Code::capture_unsupported, "not possible on a stream that is being captured");
}

Status no_blocking_capture(Context&) {
  if (ongoing().blocking.load(std::memory_order_relaxed) == 0) return Unit{};
  invalidate_all();
  return failure(Code::capture_implicit, "the legacy stream would wait for a stream that is being captured");
}

bool Capture::has_stream_of(const Context& context) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(
      branches_, [&](const auto& branch) { return &branch.second.stream->context() == &context; });
}

Status no_capture_in(const Context& context) {
  bool any = false;
  for (const auto& capture : all_captures()) {
    if (!capture->has_stream_of(context)) continue;
    capture->invalidate();
    any = true;
  }
  if (any) return failure(Code::capture_unsupported, "a stream of the context is being captured");
  return Unit{};
}

Status no_capture_forbids() {
  if (ongoing().global.load(std::memory_order_relaxed) == 0 && *thread().captures == 0) return Unit{};
  const ThreadState& state = thread();
  const bool forbidden = state.capture_mode == CaptureMode::global
                             ? *state.captures > 0 || ongoing().global.load(std::memory_order_relaxed) > 0
                             : state.capture_mode == CaptureMode::thread_local_ && *state.captures > 0;
  if (!forbidden) return Unit{};
  invalidate_all();
  return failure(Code::capture_unsupported, "not possible while a stream is being captured");
}

}  // namespace heddle::cuda
