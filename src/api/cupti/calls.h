// What functions that are other names of functions need besides them.
#pragma once

#include "api/cupti/call.h"
#include "api/cupti/session.h"

namespace heddle::cupti {

// The functions of CUDA 13 that name a subscriber: there is one at a time.
template <class Function>
Status for_subscriber(CUpti_SubscriberHandle subscriber, const Function& function) {
  const Status good = Session::get().check(reinterpret_cast<const Subscriber*>(subscriber));
  return good ? function() : good;
}

}  // namespace heddle::cupti
