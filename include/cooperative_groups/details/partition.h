// Splitting groups: into tiles, or by what each thread says.
#ifndef HEDDLE_CG_PARTITION_H
#define HEDDLE_CG_PARTITION_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300

namespace cooperative_groups {
namespace __v1 {

template <unsigned int Size>
HEDDLE_CG thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
  return details::TileMaker::make<thread_block_tile<Size, thread_block>>(
      details::rank_in_block() / Size, (details::block_threads() + Size - 1) / Size);
}
template <unsigned int Size, unsigned int ParentSize, class GrandParent>
HEDDLE_CG thread_block_tile<Size, thread_block_tile<ParentSize, GrandParent>> tiled_partition(
    const thread_block_tile<ParentSize, GrandParent>& parent) {
  static_assert(Size <= ParentSize, "a tile is no larger than its parent");
  return details::TileMaker::make<thread_block_tile<Size, thread_block_tile<ParentSize, GrandParent>>>(
      parent.thread_rank() / Size, ParentSize / Size);
}

// Of coalesced threads: neighbours by rank.
HEDDLE_CG_MEMBER coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size) {
  const unsigned int rank = (unsigned int)parent.thread_rank(), first = rank / size * size;
  unsigned int mask = parent.heddle_mask();
  for (unsigned int i = 0; i < first; ++i) mask &= mask - 1;
  unsigned int after = mask;
  for (unsigned int i = 0; i < size && after; ++i) after &= after - 1;
  return CoalescedMaker::make(mask & ~after, rank / size, (unsigned int)((parent.size() + size - 1) / size));
}
// Of a group of any kind. Up to a warp, since thread_group knows masks only.
HEDDLE_CG_MEMBER thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  if (parent.kind_ == thread_group::Kind::block && size <= 32 && (size & (size - 1)) == 0) {
    const unsigned int first = details::lane() & ~(size - 1);
    const unsigned int ones = size == 32 ? 0xffffffffu : (1u << size) - 1;
    return thread_group(thread_group::Kind::lanes, size, ones << first);
  }
  if (parent.kind_ == thread_group::Kind::lanes) {
    return tiled_partition(CoalescedMaker::make(parent.mask_, 0, 1), size);
  }
  __trap();
  return this_thread();
}
HEDDLE_CG_MEMBER thread_group tiled_partition(const thread_block& parent, unsigned int size) {
  return tiled_partition(static_cast<const thread_group&>(parent), size);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
namespace details {
template <class Group, class Label>
HEDDLE_CG coalesced_group labeled(const Group& group, Label label) {
  const unsigned int whole = group.heddle_mask(), mine = __match_any_sync(whole, label);
  // Groups are numbered by their first lanes.
  const bool leader = (mine & lanes_below()) == 0;
  const unsigned int leaders = __ballot_sync(whole, leader);
  const unsigned int first = (unsigned int)__ffs((int)mine) - 1;
  return CoalescedMaker::make(mine, (unsigned int)__popc(leaders & ((1u << first) - 1)),
                              (unsigned int)__popc(leaders));
}
}  // namespace details
template <class Label>
HEDDLE_CG coalesced_group labeled_partition(const coalesced_group& group, Label label) {
  return details::labeled(group, label);
}
template <class Label, unsigned int Size, class ParentT>
HEDDLE_CG coalesced_group labeled_partition(const thread_block_tile<Size, ParentT>& group, Label label) {
  static_assert(Size <= 32, "labeled_partition() takes a tile of at most a warp");
  return details::labeled(group, label);
}
#endif

namespace details {
template <class Group>
HEDDLE_CG coalesced_group binary(const Group& group, bool predicate) {
  const unsigned int whole = group.heddle_mask(), yes = __ballot_sync(whole, predicate);
  const unsigned int mine = predicate ? yes : whole & ~yes;
  const unsigned int count = yes == 0 || yes == whole ? 1 : 2;
  // The group that says no comes first, as false before true.
  return CoalescedMaker::make(mine, count == 2 && predicate ? 1 : 0, count);
}
}  // namespace details
HEDDLE_CG_MEMBER coalesced_group binary_partition(const coalesced_group& group, bool predicate) {
  return details::binary(group, predicate);
}
template <unsigned int Size, class ParentT>
HEDDLE_CG coalesced_group binary_partition(const thread_block_tile<Size, ParentT>& group, bool predicate) {
  static_assert(Size <= 32, "binary_partition() takes a tile of at most a warp");
  return details::binary(group, predicate);
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif

#endif
