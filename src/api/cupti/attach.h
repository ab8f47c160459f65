#pragma once

namespace heddle::cupti {

// Offers the process's system a watcher that is there only while a program asks CUPTI for something.
void attach();

}  // namespace heddle::cupti
