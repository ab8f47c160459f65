#include "api/ranges/injection.h"

#include <nvtx3/nvToolsExt.h>

#include <cwchar>
#include <span>
#include <string>

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

struct Provided {
  uint32_t number;
  Function function;
};
template <class F>
Function plain(F* function) {
  return reinterpret_cast<Function>(function);
}
// What has no function here stays without one, and a program's call of it does nothing: names of the handles
// of CUDA and OpenCL, resources, waiting.
const Provided core[] = {
    {1, plain(mark_ex)},
    {2, plain(mark<char>)},
    {3, plain(mark<wchar_t>)},
    {4, plain(range_start_ex)},
    {5, plain(range_start<char>)},
    {6, plain(range_start<wchar_t>)},
    {7, plain(range_end)},
    {8, plain(range_push_ex)},
    {9, plain(range_push<char>)},
    {10, plain(range_push<wchar_t>)},
    {11, plain(range_pop)},
    {12, plain(category<char>)},
    {13, plain(category<wchar_t>)},
    {14, plain(os_thread<char>)},
    {15, plain(os_thread<wchar_t>)},
};
const Provided core2[] = {
    {1, plain(domain_mark_ex)},           {2, plain(domain_range_start_ex)},
    {3, plain(domain_range_end)},         {4, plain(domain_range_push_ex)},
    {5, plain(domain_range_pop)},         {8, plain(domain_category<char>)},
    {9, plain(domain_category<wchar_t>)}, {10, plain(domain_string<char>)},
    {11, plain(domain_string<wchar_t>)},  {12, plain(domain_create<char>)},
    {13, plain(domain_create<wchar_t>)},
};

bool fill(const ExportedCallbacks& callbacks, Module module, std::span<const Provided> functions) {
  FunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks.table(static_cast<uint32_t>(module), &table, &size) == 0 || table == nullptr) return false;
  for (const Provided& one : functions)
    if (one.number < size && table[one.number] != nullptr) *table[one.number] = one.function;
  return true;
}

}  // namespace

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
