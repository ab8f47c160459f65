#include "api/cupti/call_backs.h"

#include <bit>
#include <deque>
#include <string_view>

#include "api/cuda_state/module.h"
#include "api/cuda_state/registry.h"
#include "api/cuda_state/thread.h"
#include "api/cupti/driver_calls.h"
#include "api/cupti/parameters.h"
#include "api/cupti/session.h"
#include "api/cupti/watch_resources.h"
#include "api/entry/call_arguments.h"

namespace heddle::cupti {

namespace {

struct CallInProgress {
  uint64_t number;
  uint64_t data;      // the subscriber's own, from one callback of a call to the next
  DriverCalls under;  // the last one is under way
};
thread_local std::deque<CallInProgress> in_progress;  // callbacks hold pointers to `data`

// The kernel that a call launches; nullptr: none.
struct Launched {
  cuda::FunctionRef keep = nullptr;
  const cuda::Function* kernel = nullptr;
};
Launched launched_kernel(std::string_view function, CallNumber call, entry::ArgumentList arguments) {
  const bool runtime = call.domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  if (!function.starts_with(runtime ? "cudaLaunch" : "cuLaunch") || arguments.size() == 0) return {};
  const bool extended = function.find("KernelEx") != function.npos;  // a configuration comes first
  if (extended && arguments.size() < 2) return {};
  const auto handle = reinterpret_cast<const void*>(arguments.begin()[extended ? 1 : 0].bits);
  const cuda::ContextRef context = cuda::current_context_if_any();
  if (context == nullptr || function.find("HostFunc") != function.npos) return {};
  if (!runtime) {
    const auto found = cuda::find_function(context, handle);
    return found ? Launched{*found, found->get()} : Launched{};
  }
  const auto found = context->process().registry().function(context, handle);
  return found ? Launched{nullptr, *found} : Launched{};
}

struct Telling {
  Session& session;
  uint64_t number;
  Launched launched = {};

  void tell(CallNumber call, const char* name, std::span<const std::byte> parameters, const int32_t* status,
            uint64_t& data) const {
    if (!session.calls_back(call.domain, call.id)) return;
    const cuda::ContextRef context = cuda::current_context_if_any();
    CUpti_CallbackData told{};
    told.callbackSite = status == nullptr ? CUPTI_API_ENTER : CUPTI_API_EXIT;
    told.functionName = name;
    told.functionParams = parameters.empty() ? nullptr : parameters.data();
    told.functionReturnValue = const_cast<int32_t*>(status);
    told.symbolName = launched.kernel == nullptr ? nullptr : launched.kernel->name().c_str();
    told.context = context == nullptr ? nullptr : std::bit_cast<CUcontext>(context->handle());
    told.contextUid = context == nullptr ? 0 : static_cast<uint32_t>(context->id());
    told.correlationData = &data;
    told.correlationId = static_cast<uint32_t>(number);
    session.call_back(call.domain, call.id, &told);
  }
  void tell(DriverCall& call, const int32_t* status) const {
    tell({CUPTI_CB_DOMAIN_DRIVER_API, call.id}, calls_of(CUPTI_CB_DOMAIN_DRIVER_API)[call.id].name,
         call.parameters, status, call.data);
  }
};

// What the driver would have answered: the APIs share their codes, but for some of the runtime's own.
int32_t driver_status(int64_t runtime) {
  const bool own = runtime > CUDA_ERROR_PROFILER_ALREADY_STOPPED && runtime < CUDA_ERROR_NO_DEVICE;
  return own ? CUDA_ERROR_INVALID_VALUE : static_cast<int32_t>(runtime);
}

bool wants(const Session& session, CallNumber call) {
  if (Session::in_callback()) return false;
  return session.calls_back(call.domain, call.id) ||
         (call.domain == CUPTI_CB_DOMAIN_RUNTIME_API && session.calls_back_any(CUPTI_CB_DOMAIN_DRIVER_API));
}

}  // namespace

void call_began(Session& session, CallNumber call, const entry::Record& record, uint64_t number) {
  if (!wants(session, call)) return;
  // The entries say here what they say again when the call has ended.
  const entry::ArgumentList arguments = entry::call_arguments;
  const std::vector<std::byte> parameters = parameter_block(call, arguments);
  in_progress.push_back({number, 0, {}});
  const Telling telling{session, number, launched_kernel(record.name, call, arguments)};
  telling.tell(call, record.name, parameters, nullptr, in_progress.back().data);
  if (call.domain != CUPTI_CB_DOMAIN_RUNTIME_API || !session.calls_back_any(CUPTI_CB_DOMAIN_DRIVER_API))
    return;
  in_progress.back().under = driver_calls_under(call.id, parameters);
  std::vector<DriverCall>& under = in_progress.back().under.all();
  constexpr int32_t succeeded = CUDA_SUCCESS;
  for (DriverCall& one : under) {
    telling.tell(one, nullptr);
    if (&one != &under.back()) telling.tell(one, &succeeded);
  }
}

void call_ended(Session& session, CallNumber call, const entry::CallFacts& facts) {
  const bool known = !in_progress.empty() && in_progress.back().number == facts.number;
  if (known || wants(session, call)) {
    const Telling telling{session, facts.number, launched_kernel(facts.record.name, call, facts.arguments)};
    if (telling.launched.kernel != nullptr && facts.succeeded)
      tell_launched(session, telling.launched.kernel->module());
    if (known && !in_progress.back().under.all().empty()) {
      const int32_t status = driver_status(facts.status);
      telling.tell(in_progress.back().under.all().back(), &status);
    }
    // Where the subscriber came in the middle of a call, it has no data of its own.
    uint64_t none = 0;
    const auto status = static_cast<int32_t>(facts.status);
    telling.tell(call, facts.record.name, parameter_block(call, facts.arguments), &status,
                 known ? in_progress.back().data : none);
  }
  while (!in_progress.empty() && in_progress.back().number >= facts.number) in_progress.pop_back();
}

}  // namespace heddle::cupti
