// NVTX for C++ (nvtx3::v1). What it makes goes to a tool, if there is one: see nvToolsExt.h.
#ifndef HEDDLE_NVTX3_HPP
#define HEDDLE_NVTX3_HPP

#define NVTX3_CPP_VERSION_MAJOR 1
#define NVTX3_CPP_VERSION_MINOR 0
#define NVTX3_CPP_DEFINITIONS_V1_0  // libraries ask whether nvtx3::v1 is here

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "nvToolsExt.h"

namespace nvtx3 {
inline namespace v1 {

// A domain is a type with `static constexpr char const* name`.
class domain {
 public:
  struct global {};
  domain(domain const&) = delete;
  domain& operator=(domain const&) = delete;
  domain(domain&&) = delete;
  domain& operator=(domain&&) = delete;
  template <class Domain = global>
  static domain const& get() noexcept {
    static domain const one(made<Domain>(0));
    return one;
  }
  operator nvtxDomainHandle_t() const noexcept { return handle_; }

 private:
  explicit domain(nvtxDomainHandle_t handle) noexcept : handle_(handle) {}
  static nvtxDomainHandle_t create(char const* name) noexcept { return nvtxDomainCreateA(name); }
  static nvtxDomainHandle_t create(wchar_t const* name) noexcept { return nvtxDomainCreateW(name); }
  template <class Domain>
  static auto made(int) noexcept -> decltype(create(Domain::name)) {
    return create(Domain::name);
  }
  template <class Domain>
  static nvtxDomainHandle_t made(...) noexcept {  // without a name it is the default one
    return nullptr;
  }
  nvtxDomainHandle_t handle_ = nullptr;
};

struct rgb {
  using component_type = std::uint8_t;
  constexpr rgb(component_type red_, component_type green_, component_type blue_) noexcept
      : red(red_), green(green_), blue(blue_) {}
  component_type red, green, blue;
};

struct argb final : rgb {
  constexpr argb(component_type alpha_, component_type red_, component_type green_,
                 component_type blue_) noexcept
      : rgb(red_, green_, blue_), alpha(alpha_) {}
  component_type alpha;
};

class color {
 public:
  using value_type = std::uint32_t;
  constexpr explicit color(value_type hex_code) noexcept : value_(hex_code) {}
  constexpr color(argb c) noexcept
      : value_(value_type{c.alpha} << 24 | value_type{c.red} << 16 | value_type{c.green} << 8 | c.blue) {}
  constexpr color(rgb c) noexcept : color(argb(0xFF, c.red, c.green, c.blue)) {}
  constexpr value_type get_value() const noexcept { return value_; }
  constexpr nvtxColorType_t get_type() const noexcept { return NVTX_COLOR_ARGB; }

 private:
  value_type value_;
};

class category {
 public:
  using id_type = std::uint32_t;
  constexpr explicit category(id_type id) noexcept : id_(id) {}
  constexpr id_type get_id() const noexcept { return id_; }

 private:
  id_type id_;
};

template <class Domain = domain::global>
class named_category_in final : public category {
 public:
  named_category_in(id_type id, char const* name) noexcept : category(id) {
    nvtxDomainNameCategoryA(domain::get<Domain>(), id, name);
  }
  named_category_in(id_type id, wchar_t const* name) noexcept : category(id) {
    nvtxDomainNameCategoryW(domain::get<Domain>(), id, name);
  }
  // For a type with `name` and `id`.
  template <class Category>
  static named_category_in const& get() noexcept {
    static named_category_in const one(Category::id, Category::name);
    return one;
  }
};
using named_category = named_category_in<domain::global>;

template <class Domain = domain::global>
class registered_string_in {
 public:
  explicit registered_string_in(char const* text) noexcept
      : handle_(nvtxDomainRegisterStringA(domain::get<Domain>(), text)) {}
  explicit registered_string_in(std::string const& text) noexcept : registered_string_in(text.c_str()) {}
  explicit registered_string_in(wchar_t const* text) noexcept
      : handle_(nvtxDomainRegisterStringW(domain::get<Domain>(), text)) {}
  explicit registered_string_in(std::wstring const& text) noexcept : registered_string_in(text.c_str()) {}
  registered_string_in(registered_string_in const&) = delete;
  registered_string_in& operator=(registered_string_in const&) = delete;
  // For a type with `message`.
  template <class Message>
  static registered_string_in const& get() noexcept {
    static registered_string_in const one(Message::message);
    return one;
  }
  nvtxStringHandle_t get_handle() const noexcept { return handle_; }

 private:
  nvtxStringHandle_t handle_ = nullptr;
};
using registered_string = registered_string_in<domain::global>;

class message {
 public:
  using value_type = nvtxMessageValue_t;
  message(char const* text) noexcept : type_(NVTX_MESSAGE_TYPE_ASCII) { value_.ascii = text; }
  message(wchar_t const* text) noexcept : type_(NVTX_MESSAGE_TYPE_UNICODE) { value_.unicode = text; }
  message(std::string const& text) noexcept : message(text.c_str()) {}
  message(std::wstring const& text) noexcept : message(text.c_str()) {}
  message(std::string&&) = delete;  // the text would be gone before it is shown
  message(std::wstring&&) = delete;
  message(nvtxStringHandle_t handle) noexcept : type_(NVTX_MESSAGE_TYPE_REGISTERED) {
    value_.registered = handle;
  }
  template <class Domain>
  message(registered_string_in<Domain> const& text) noexcept : message(text.get_handle()) {}
  constexpr message(nvtxMessageType_t const& type, value_type const& value) noexcept
      : type_(type), value_(value) {}
  constexpr value_type get_value() const noexcept { return value_; }
  constexpr nvtxMessageType_t get_type() const noexcept { return type_; }

 private:
  nvtxMessageType_t type_;
  value_type value_ = {};
};

class payload {
 public:
  using value_type = nvtxEventAttributes_v2::payload_t;
  explicit payload(std::int64_t value) noexcept : type_(NVTX_PAYLOAD_TYPE_INT64) { value_.llValue = value; }
  explicit payload(std::int32_t value) noexcept : type_(NVTX_PAYLOAD_TYPE_INT32) { value_.iValue = value; }
  explicit payload(std::uint64_t value) noexcept : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64) {
    value_.ullValue = value;
  }
  explicit payload(std::uint32_t value) noexcept : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT32) {
    value_.uiValue = value;
  }
  explicit payload(float value) noexcept : type_(NVTX_PAYLOAD_TYPE_FLOAT) { value_.fValue = value; }
  explicit payload(double value) noexcept : type_(NVTX_PAYLOAD_TYPE_DOUBLE) { value_.dValue = value; }
  constexpr payload(nvtxPayloadType_t const& type, value_type const& value) noexcept
      : type_(type), value_(value) {}
  constexpr value_type get_value() const noexcept { return value_; }
  constexpr nvtxPayloadType_t get_type() const noexcept { return type_; }

 private:
  nvtxPayloadType_t type_;
  value_type value_ = {};
};

// Of several arguments of one kind the first counts.
class event_attributes {
 public:
  using value_type = nvtxEventAttributes_t;
  event_attributes() noexcept : attributes_() {
    attributes_.version = NVTX_VERSION;
    attributes_.size = sizeof(value_type);
  }
  explicit event_attributes(value_type const& attributes) noexcept : attributes_(attributes) {}
  template <class... Rest>
  explicit event_attributes(category const& c, Rest const&... rest) noexcept : event_attributes(rest...) {
    attributes_.category = c.get_id();
  }
  template <class... Rest>
  explicit event_attributes(color const& c, Rest const&... rest) noexcept : event_attributes(rest...) {
    attributes_.color = c.get_value();
    attributes_.colorType = c.get_type();
  }
  template <class... Rest>
  explicit event_attributes(payload const& p, Rest const&... rest) noexcept : event_attributes(rest...) {
    attributes_.payload = p.get_value();
    attributes_.payloadType = p.get_type();
  }
  template <class... Rest>
  explicit event_attributes(message const& m, Rest const&... rest) noexcept : event_attributes(rest...) {
    attributes_.message = m.get_value();
    attributes_.messageType = m.get_type();
  }
  constexpr value_type const* get() const noexcept { return &attributes_; }

 private:
  value_type attributes_;
};

template <class Domain = domain::global>
class scoped_range_in {
 public:
  scoped_range_in() noexcept {}
  explicit scoped_range_in(event_attributes const&) noexcept {}
  template <class First, class... Rest,
            class = typename std::enable_if<
                !std::is_same<event_attributes, typename std::decay<First>::type>::value>::type>
  explicit scoped_range_in(First const& first, Rest const&... rest) noexcept
      : scoped_range_in(event_attributes(first, rest...)) {}
  ~scoped_range_in() noexcept {}
  scoped_range_in(scoped_range_in const&) = delete;
  scoped_range_in& operator=(scoped_range_in const&) = delete;
  scoped_range_in(scoped_range_in&&) = delete;
  scoped_range_in& operator=(scoped_range_in&&) = delete;
  // One that is never destroyed would stay open.
  void* operator new(std::size_t) = delete;
};
using scoped_range = scoped_range_in<domain::global>;
using thread_range = scoped_range;
template <class Domain>
using domain_thread_range = scoped_range_in<Domain>;

template <class Domain = domain::global>
class optional_scoped_range_in {
 public:
  optional_scoped_range_in() noexcept {}
  void begin(event_attributes const&) noexcept {}
  ~optional_scoped_range_in() noexcept {}
  optional_scoped_range_in(optional_scoped_range_in const&) = delete;
  optional_scoped_range_in& operator=(optional_scoped_range_in const&) = delete;
  void* operator new(std::size_t) = delete;
};
using optional_scoped_range = optional_scoped_range_in<domain::global>;

class range_handle {
 public:
  using value_type = nvtxRangeId_t;
  constexpr range_handle() noexcept = default;
  constexpr explicit range_handle(value_type id) noexcept : id_(id) {}
  constexpr explicit operator bool() const noexcept { return id_ != 0; }
  constexpr range_handle(std::nullptr_t) noexcept {}
  constexpr value_type get_value() const noexcept { return id_; }
  friend constexpr bool operator==(range_handle a, range_handle b) noexcept { return a.id_ == b.id_; }
  friend constexpr bool operator!=(range_handle a, range_handle b) noexcept { return a.id_ != b.id_; }

 private:
  value_type id_ = 0;
};

template <class Domain = domain::global>
range_handle start_range_in(event_attributes const& attributes) noexcept {
  return range_handle(nvtxDomainRangeStartEx(domain::get<Domain>(), attributes.get()));
}
template <class Domain = domain::global, class First, class... Rest,
          class = typename std::enable_if<
              !std::is_same<event_attributes, typename std::decay<First>::type>::value>::type>
range_handle start_range_in(First const& first, Rest const&... rest) noexcept {
  return start_range_in<Domain>(event_attributes(first, rest...));
}
template <class... Arguments>
range_handle start_range(Arguments const&... arguments) noexcept {
  return start_range_in<domain::global>(arguments...);
}
template <class Domain = domain::global>
void end_range_in(range_handle range) noexcept {
  nvtxDomainRangeEnd(domain::get<Domain>(), range.get_value());
}
inline void end_range(range_handle range) noexcept { end_range_in<domain::global>(range); }

template <class Domain = domain::global>
class unique_range_in {
 public:
  unique_range_in() noexcept {}
  explicit unique_range_in(event_attributes const&) noexcept {}
  template <class First, class... Rest,
            class = typename std::enable_if<
                !std::is_same<event_attributes, typename std::decay<First>::type>::value &&
                !std::is_same<unique_range_in, typename std::decay<First>::type>::value>::type>
  explicit unique_range_in(First const& first, Rest const&... rest) noexcept
      : unique_range_in(event_attributes(first, rest...)) {}
  ~unique_range_in() noexcept {}
  unique_range_in(unique_range_in&&) noexcept = default;
  unique_range_in& operator=(unique_range_in&&) noexcept = default;
  unique_range_in(unique_range_in const&) = delete;
  unique_range_in& operator=(unique_range_in const&) = delete;
};
using unique_range = unique_range_in<domain::global>;

template <class Domain = domain::global>
void mark_in(event_attributes const& attributes) noexcept {
  nvtxDomainMarkEx(domain::get<Domain>(), attributes.get());
}
template <class Domain = domain::global, class First, class... Rest,
          class = typename std::enable_if<
              !std::is_same<event_attributes, typename std::decay<First>::type>::value>::type>
void mark_in(First const& first, Rest const&... rest) noexcept {
  mark_in<Domain>(event_attributes(first, rest...));
}
template <class... Arguments>
void mark(Arguments const&... arguments) noexcept {
  mark_in<domain::global>(arguments...);
}

}  // namespace v1
}  // namespace nvtx3

#define NVTX3_V1_FUNC_RANGE_IF_IN(D, C)                       \
  ::nvtx3::v1::optional_scoped_range_in<D> nvtx3_func_range_; \
  if (C) nvtx3_func_range_.begin(::nvtx3::v1::event_attributes(__func__))
#define NVTX3_V1_FUNC_RANGE_IF(C) NVTX3_V1_FUNC_RANGE_IF_IN(::nvtx3::v1::domain::global, C)
#define NVTX3_V1_FUNC_RANGE_IN(D) ::nvtx3::v1::scoped_range_in<D> const nvtx3_func_range_(__func__)
#define NVTX3_V1_FUNC_RANGE() NVTX3_V1_FUNC_RANGE_IN(::nvtx3::v1::domain::global)
#define NVTX3_FUNC_RANGE_IF_IN NVTX3_V1_FUNC_RANGE_IF_IN
#define NVTX3_FUNC_RANGE_IF NVTX3_V1_FUNC_RANGE_IF
#define NVTX3_FUNC_RANGE_IN NVTX3_V1_FUNC_RANGE_IN
#define NVTX3_FUNC_RANGE NVTX3_V1_FUNC_RANGE

#endif
