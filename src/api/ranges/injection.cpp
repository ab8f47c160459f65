#include "api/ranges/injection.h"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <atomic>
#include <cwchar>
#include <span>
#include <string>

#include "api/ranges/calls.h"
#include "api/ranges/marks.h"

namespace heddle::ranges {

namespace {

// A registered string is its text, for as long as the process lives.
const std::string* text_of(nvtxStringHandle_t handle) { return reinterpret_cast<const std::string*>(handle); }
Domain* domain_of(nvtxDomainHandle_t handle) { return reinterpret_cast<Domain*>(handle); }

// UTF-8 of UTF-32; NVTX's wide strings are the host's.
std::string narrow(const wchar_t* text) {
  std::string out;
  if (text == nullptr) return out;
  for (; *text != 0; ++text) {
    const auto code = static_cast<uint32_t>(*text);
    const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | (code >> 12));
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xF0 | (code >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
  }
  return out;
}
std::string narrow(const char* text) { return text == nullptr ? "" : text; }

std::string message_of(int32_t type, const nvtxMessageValue_t& value) {
  switch (type) {
    case NVTX_MESSAGE_TYPE_ASCII: return narrow(value.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE: return narrow(value.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: return value.registered == nullptr ? "" : *text_of(value.registered);
    default: return "";
  }
}

std::optional<double> payload_of(const nvtxEventAttributes_t& event) {
  switch (event.payloadType) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64: return static_cast<double>(event.payload.ullValue);
    case NVTX_PAYLOAD_TYPE_INT64: return static_cast<double>(event.payload.llValue);
    case NVTX_PAYLOAD_TYPE_DOUBLE: return event.payload.dValue;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32: return event.payload.uiValue;
    case NVTX_PAYLOAD_TYPE_INT32: return event.payload.iValue;
    case NVTX_PAYLOAD_TYPE_FLOAT: return event.payload.fValue;
    default: return {};
  }
}

Description named(Domain* domain, std::string message) {
  Description description;
  description.message = std::move(message);
  description.domain = name_of(domain);
  return description;
}

Description described(Domain* domain, const nvtxEventAttributes_t* event) {
  if (event == nullptr) return named(domain, "");
  Description description = named(domain, message_of(event->messageType, event->message));
  description.category_number = event->category;
  description.category = category_name(domain, event->category);
  if (event->colorType == NVTX_COLOR_ARGB) description.color = event->color;
  description.payload = payload_of(*event);
  return description;
}

// ---- the functions, as NVTX declares them. No exception may leave one: a range that cannot be kept for want
// of memory is lost.
template <class Result, class Body>
Result safely(Result otherwise, const Body& body) {
  try {
    return body();
  } catch (...) {
    return otherwise;
  }
}
template <class Body>
void safely(const Body& body) {
  (void)safely(0, [&] {
    body();
    return 0;
  });
}

template <class Text>
void mark(const Text* message) {
  safely([&] { moment(nullptr, named(nullptr, narrow(message))); });
}
template <class Text>
nvtxRangeId_t range_start(const Text* message) {
  return safely(nvtxRangeId_t{0}, [&] { return start(nullptr, named(nullptr, narrow(message))); });
}
template <class Text>
int range_push(const Text* message) {
  return safely(NVTX_NO_PUSH_POP_TRACKING, [&] { return push(nullptr, named(nullptr, narrow(message))); });
}
void mark_ex(const nvtxEventAttributes_t* event) {
  safely([&] { moment(nullptr, described(nullptr, event)); });
}
nvtxRangeId_t range_start_ex(const nvtxEventAttributes_t* event) {
  return safely(nvtxRangeId_t{0}, [&] { return start(nullptr, described(nullptr, event)); });
}
int range_push_ex(const nvtxEventAttributes_t* event) {
  return safely(NVTX_NO_PUSH_POP_TRACKING, [&] { return push(nullptr, described(nullptr, event)); });
}
void range_end(nvtxRangeId_t id) {
  safely([&] { end(id); });
}
int range_pop() {
  return safely(NVTX_NO_PUSH_POP_TRACKING, [] { return pop(nullptr); });
}
template <class Text>
void category(uint32_t number, const Text* name) {
  safely([&] { name_category(nullptr, number, narrow(name)); });
}
template <class Text>
void os_thread(uint32_t thread, const Text* name) {
  safely([&] { name_thread(static_cast<int32_t>(thread), narrow(name)); });
}

void domain_mark_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  safely([&] { moment(domain_of(domain), described(domain_of(domain), event)); });
}
nvtxRangeId_t domain_range_start_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return safely(nvtxRangeId_t{0},
                [&] { return start(domain_of(domain), described(domain_of(domain), event)); });
}
void domain_range_end(nvtxDomainHandle_t, nvtxRangeId_t id) {
  safely([&] { end(id); });
}
int domain_range_push_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return safely(NVTX_NO_PUSH_POP_TRACKING,
                [&] { return push(domain_of(domain), described(domain_of(domain), event)); });
}
int domain_range_pop(nvtxDomainHandle_t domain) {
  return safely(NVTX_NO_PUSH_POP_TRACKING, [&] { return pop(domain_of(domain)); });
}
template <class Text>
void domain_category(nvtxDomainHandle_t domain, uint32_t number, const Text* name) {
  safely([&] { name_category(domain_of(domain), number, narrow(name)); });
}
// Kept: handles may be used as long as the process lives.
template <class Text>
nvtxStringHandle_t domain_string(nvtxDomainHandle_t, const Text* text) {
  return safely(nvtxStringHandle_t{},
                [&] { return reinterpret_cast<nvtxStringHandle_t>(new std::string(narrow(text))); });
}
template <class Text>
nvtxDomainHandle_t domain_create(const Text* name) {
  return safely(nvtxDomainHandle_t{},
                [&] { return reinterpret_cast<nvtxDomainHandle_t>(domain(narrow(name))); });
}

std::atomic<CallHook> hook{nullptr};

struct Provided {
  uint32_t number;
  const char* name;
  Function function;
};
void tell_call(Module module, uint32_t number, const void* parameters, void* result);

// Parameters one behind the other, as C lays out a structure of them.
template <class... A>
struct Block {};
template <class A>
struct Block<A> {
  A a;
};
template <class A, class B>
struct Block<A, B> {
  A a;
  B b;
};
template <class A, class B, class C>
struct Block<A, B, C> {
  A a;
  B b;
  C c;
};

// The function, and whoever wants to know that it was called.
template <Module module, uint32_t number, auto function>
struct Told;
template <Module module, uint32_t number, class Result, class... A, Result (*function)(A...)>
struct Told<module, number, function> {
  static Result call(A... arguments) {
    const bool wanted = hook.load(std::memory_order_relaxed) != nullptr;
    const Block<A...> block{arguments...};
    if constexpr (std::is_void_v<Result>) {
      function(arguments...);
      if (wanted) [[unlikely]]
        tell_call(module, number, &block, nullptr);
    } else {
      Result result = function(arguments...);
      if (wanted) [[unlikely]]
        tell_call(module, number, &block, &result);
      return result;
    }
  }
};
template <Module module, uint32_t number, auto function>
Provided provided(const char* name) {
  return {number, name, reinterpret_cast<Function>(&Told<module, number, function>::call)};
}

// What has no function here stays without one, and a program's call of it does nothing: names of the handles
// of CUDA and OpenCL, resources, waiting.
const Provided core[] = {
    provided<Module::core, 1, &mark_ex>("nvtxMarkEx"),
    provided<Module::core, 2, &mark<char>>("nvtxMarkA"),
    provided<Module::core, 3, &mark<wchar_t>>("nvtxMarkW"),
    provided<Module::core, 4, &range_start_ex>("nvtxRangeStartEx"),
    provided<Module::core, 5, &range_start<char>>("nvtxRangeStartA"),
    provided<Module::core, 6, &range_start<wchar_t>>("nvtxRangeStartW"),
    provided<Module::core, 7, &range_end>("nvtxRangeEnd"),
    provided<Module::core, 8, &range_push_ex>("nvtxRangePushEx"),
    provided<Module::core, 9, &range_push<char>>("nvtxRangePushA"),
    provided<Module::core, 10, &range_push<wchar_t>>("nvtxRangePushW"),
    provided<Module::core, 11, &range_pop>("nvtxRangePop"),
    provided<Module::core, 12, &category<char>>("nvtxNameCategoryA"),
    provided<Module::core, 13, &category<wchar_t>>("nvtxNameCategoryW"),
    provided<Module::core, 14, &os_thread<char>>("nvtxNameOsThreadA"),
    provided<Module::core, 15, &os_thread<wchar_t>>("nvtxNameOsThreadW"),
};
const Provided core2[] = {
    provided<Module::core2, 1, &domain_mark_ex>("nvtxDomainMarkEx"),
    provided<Module::core2, 2, &domain_range_start_ex>("nvtxDomainRangeStartEx"),
    provided<Module::core2, 3, &domain_range_end>("nvtxDomainRangeEnd"),
    provided<Module::core2, 4, &domain_range_push_ex>("nvtxDomainRangePushEx"),
    provided<Module::core2, 5, &domain_range_pop>("nvtxDomainRangePop"),
    provided<Module::core2, 8, &domain_category<char>>("nvtxDomainNameCategoryA"),
    provided<Module::core2, 9, &domain_category<wchar_t>>("nvtxDomainNameCategoryW"),
    provided<Module::core2, 10, &domain_string<char>>("nvtxDomainRegisterStringA"),
    provided<Module::core2, 11, &domain_string<wchar_t>>("nvtxDomainRegisterStringW"),
    provided<Module::core2, 12, &domain_create<char>>("nvtxDomainCreateA"),
    provided<Module::core2, 13, &domain_create<wchar_t>>("nvtxDomainCreateW"),
};

void tell_call(Module module, uint32_t number, const void* parameters, void* result) {
  const std::span<const Provided> functions =
      module == Module::core ? std::span<const Provided>(core) : core2;
  const auto called = std::ranges::find(functions, number, &Provided::number);
  const CallHook told = hook.load(std::memory_order_acquire);
  if (called == functions.end() || told == nullptr) return;
  safely([&] { told(called->name, parameters, result); });
}

bool fill(const ExportedCallbacks& callbacks, Module module, std::span<const Provided> functions) {
  FunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks.table(static_cast<uint32_t>(module), &table, &size) == 0 || table == nullptr) return false;
  for (const Provided& one : functions)
    if (one.number < size && table[one.number] != nullptr) *table[one.number] = one.function;
  return true;
}

}  // namespace

void tell_calls_to(CallHook told) { hook.store(told, std::memory_order_release); }

bool tells_calls_of(std::string_view function) {
  const auto is_it = [&](const Provided& one) { return one.name == function; };
  return std::ranges::any_of(core, is_it) || std::ranges::any_of(core2, is_it);
}

int inject(GetExportTable get) {
  if (get == nullptr) return 0;
  const auto* callbacks =
      static_cast<const ExportedCallbacks*>(get(static_cast<uint32_t>(ExportTable::callbacks)));
  if (callbacks == nullptr || callbacks->bytes < sizeof *callbacks || callbacks->table == nullptr) return 0;
  const bool has_core = fill(*callbacks, Module::core, core);
  fill(*callbacks, Module::core2, core2);  // those made for version 1 have none
  return has_core ? 1 : 0;
}

}  // namespace heddle::ranges
