// Subscribers, and what they want to be called for.
#include <algorithm>
#include <array>

#include "api/cupti/functions.gen.h"
#include "api/cupti/session.h"
#include "api/cupti/watch_resources.h"

namespace heddle::cupti {

namespace {

const Subscriber* subscriber_of(CUpti_SubscriberHandle handle) {
  return reinterpret_cast<const Subscriber*>(handle);
}

// The domains whose callbacks are made.
constexpr std::array domains{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API,
                             CUPTI_CB_DOMAIN_RESOURCE,   CUPTI_CB_DOMAIN_SYNCHRONIZE,
                             CUPTI_CB_DOMAIN_STATE,      CUPTI_CB_DOMAIN_NVTX};

Failure not_called(const std::string& what) {
  return failure(CUPTI_ERROR_NOT_SUPPORTED, what + " is never called");
}

Status check_domain(CUpti_CallbackDomain domain) {
  if (domain <= CUPTI_CB_DOMAIN_INVALID || domain >= CUPTI_CB_DOMAIN_SIZE)
    return invalid_parameter("there is no domain " + std::to_string(static_cast<int>(domain)));
  return Unit{};
}

std::size_t ids_in(CUpti_CallbackDomain domain) {
  switch (domain) {
    case CUPTI_CB_DOMAIN_DRIVER_API:
    case CUPTI_CB_DOMAIN_RUNTIME_API: return calls_of(domain).size();
    case CUPTI_CB_DOMAIN_RESOURCE: return CUPTI_CBID_RESOURCE_SIZE;
    case CUPTI_CB_DOMAIN_SYNCHRONIZE: return CUPTI_CBID_SYNCHRONIZE_SIZE;
    case CUPTI_CB_DOMAIN_NVTX: return CUPTI_CBID_NVTX_SIZE;
    case CUPTI_CB_DOMAIN_STATE: return CUPTI_CBID_STATE_SIZE;
    default: return most_callback_ids;
  }
}

Status check_id(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (const Status good = check_domain(domain); !good) return good;
  if (id >= ids_in(domain))
    return invalid_parameter("domain " + std::to_string(static_cast<int>(domain)) + " has no callback " +
                             std::to_string(id));
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && !calls_back_resource(id))
    return not_called("callback " + std::to_string(id) + " of resources");
  if (domain == CUPTI_CB_DOMAIN_NVTX && !calls_back_nvtx(id))
    return not_called("callback " + std::to_string(id) + " of NVTX");
  return Unit{};
}

}  // namespace

Status cuptiSupportedDomains(size_t* domainCount, CUpti_DomainTable* domainTable) {
  static std::array<CUpti_CallbackDomain, domains.size()> table = domains;
  *domainCount = table.size();
  *domainTable = table.data();
  return Unit{};
}

Status cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* userdata) {
  if (callback == nullptr) return missing("callback");
  const Answer<Subscriber*> made = Session::get().subscribe(callback, userdata);
  if (!made) return made.error();
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(*made);
  return Unit{};
}

Status cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  return Session::get().unsubscribe(subscriber_of(subscriber));
}

Status cuptiGetCallbackState(uint32_t* enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                             CUpti_CallbackId cbid) {
  if (const Status good = Session::get().check(subscriber_of(subscriber)); !good) return good;
  if (const Status good = check_id(domain, cbid); !good) return good;
  *enable = Session::get().calls_back(domain, cbid) ? 1 : 0;
  return Unit{};
}

Status cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                           CUpti_CallbackId cbid) {
  if (const Status good = Session::get().check(subscriber_of(subscriber)); !good) return good;
  if (const Status good = check_id(domain, cbid); !good) return good;
  Session::get().set_calls_back(domain, cbid, enable != 0);
  return Unit{};
}

Status cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain) {
  if (const Status good = Session::get().check(subscriber_of(subscriber)); !good) return good;
  if (const Status good = check_domain(domain); !good) return good;
  Session::get().set_calls_back(domain, {}, enable != 0);
  return Unit{};
}

Status cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) {
  if (const Status good = Session::get().check(subscriber_of(subscriber)); !good) return good;
  for (const CUpti_CallbackDomain domain : domains) Session::get().set_calls_back(domain, {}, enable != 0);
  return Unit{};
}

Status cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char** name) {
  const std::span<const NumberedCall> calls = calls_of(domain);
  if (calls.empty())
    return invalid_parameter("the callbacks of domain " + std::to_string(static_cast<int>(domain)) +
                             " have no names");
  if (cbid >= calls.size() || calls[cbid].told == nullptr)
    return invalid_parameter("there is no callback " + std::to_string(cbid));
  *name = calls[cbid].told;
  return Unit{};
}

}  // namespace heddle::cupti
