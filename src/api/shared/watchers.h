// Those who may watch a process from its beginning: each looks into the environment whether it shall.
#pragma once

namespace heddle::shared {

// Before anybody asks for the process's system.
void attach_watchers();

}  // namespace heddle::shared
