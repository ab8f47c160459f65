// One thread of a group works for all.
#ifndef HEDDLE_CG_INVOKE_H
#define HEDDLE_CG_INVOKE_H

namespace cooperative_groups {
namespace __v1 {

template <class Group, class Function, class... Arguments>
HEDDLE_CG void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
HEDDLE_CG auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result = {};
  if (group.thread_rank() == 0)
    result = static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
