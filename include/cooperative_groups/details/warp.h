// Exchanging values of any type between lanes, a word at a time.
#ifndef HEDDLE_CG_WARP_H
#define HEDDLE_CG_WARP_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300

namespace cooperative_groups {
namespace __v1 {
namespace details {

// Applies `exchange`, which moves one 32-bit word, to each word of a value.
template <class T, class Exchange>
HEDDLE_CG T by_words(const T& value, Exchange exchange) {
  const int count = (sizeof(T) + 3) / 4;
  unsigned int words[count] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < count; ++i) words[i] = exchange(words[i]);
  T result;
  __builtin_memcpy((void*)&result, words, sizeof(T));
  return result;
}

}  // namespace details
}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif

#endif
