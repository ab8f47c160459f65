// thread_block_tile: parts of a block of a size known when compiling, within a warp or of several.
#ifndef HEDDLE_CG_TILE_H
#define HEDDLE_CG_TILE_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300

namespace cooperative_groups {
namespace __v1 {
namespace details {

// Up to a warp: lanes side by side.
template <unsigned int Size, bool within_a_warp>
class Tile : public thread_group {
 public:
  HEDDLE_CG_MEMBER void sync() const { warp_sync(mask()); }
  HEDDLE_CG unsigned int size() { return Size; }
  HEDDLE_CG unsigned int num_threads() { return Size; }
  HEDDLE_CG unsigned int thread_rank() { return lane() & (Size - 1); }
  HEDDLE_CG_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
  HEDDLE_CG_MEMBER unsigned int meta_group_size() const { return meta_size_; }

  template <class T>
  HEDDLE_CG_MEMBER T shfl(T var, int src_rank) const {
    return by_words(var, [=](unsigned int word) { return __shfl_sync(mask(), word, src_rank, Size); });
  }
  template <class T>
  HEDDLE_CG_MEMBER T shfl_down(T var, unsigned int delta) const {
    return by_words(var, [=](unsigned int word) { return __shfl_down_sync(mask(), word, delta, Size); });
  }
  template <class T>
  HEDDLE_CG_MEMBER T shfl_up(T var, unsigned int delta) const {
    return by_words(var, [=](unsigned int word) { return __shfl_up_sync(mask(), word, delta, Size); });
  }
  template <class T>
  HEDDLE_CG_MEMBER T shfl_xor(T var, unsigned int lane_mask) const {
    return by_words(var,
                    [=](unsigned int word) { return __shfl_xor_sync(mask(), word, (int)lane_mask, Size); });
  }
  HEDDLE_CG_MEMBER int any(int predicate) const { return ballot(predicate) != 0; }
  HEDDLE_CG_MEMBER int all(int predicate) const { return ballot(predicate) == ones(); }
  HEDDLE_CG_MEMBER unsigned int ballot(int predicate) const {
    return ranks(__ballot_sync(mask(), predicate));
  }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  template <class T>
  HEDDLE_CG_MEMBER unsigned int match_any(T value) const {
    return ranks(__match_any_sync(mask(), value));
  }
  template <class T>
  HEDDLE_CG_MEMBER unsigned int match_all(T value, int& predicate) const {
    return ranks(__match_all_sync(mask(), value, &predicate));
  }
#endif
  HEDDLE_CG unsigned int heddle_mask() { return mask(); }

 protected:
  HEDDLE_CG_MEMBER Tile(unsigned int meta_rank, unsigned int meta_size)
      : thread_group(Kind::lanes, Size, mask()), meta_rank_(meta_rank), meta_size_(meta_size) {}

 private:
  HEDDLE_CG unsigned int ones() { return Size == 32 ? 0xffffffffu : (1u << (Size & 31)) - 1; }
  HEDDLE_CG unsigned int first() { return lane() & ~(Size - 1); }
  HEDDLE_CG unsigned int mask() { return Size == 32 ? 0xffffffffu : ones() << first(); }
  HEDDLE_CG unsigned int ranks(unsigned int lanes) { return Size == 32 ? lanes : lanes >> first() & ones(); }

  unsigned int meta_rank_, meta_size_;
};

// Several warps, on a named barrier of their own: 1 to 15, and 0 only for the sixteenth tile of 64 threads.
template <unsigned int Size>
class Tile<Size, false> {
 public:
  HEDDLE_CG_MEMBER void sync() const { named_sync(barrier(), Size); }
  HEDDLE_CG unsigned int size() { return Size; }
  HEDDLE_CG unsigned int num_threads() { return Size; }
  HEDDLE_CG unsigned int thread_rank() { return rank_in_block() & (Size - 1); }
  HEDDLE_CG_MEMBER unsigned int meta_group_rank() const { return rank_in_block() / Size; }
  HEDDLE_CG_MEMBER unsigned int meta_group_size() const { return (block_threads() + Size - 1) / Size; }
  HEDDLE_CG_MEMBER int any(int predicate) const { return named_count(barrier(), Size, predicate != 0) != 0; }
  HEDDLE_CG_MEMBER int all(int predicate) const {
    return named_count(barrier(), Size, predicate != 0) == Size;
  }
  template <class T>
  HEDDLE_CG_MEMBER T shfl(T var, int src_rank) const {
    __shared__ unsigned char scratch[16 * sizeof(T)];
    unsigned char* place = scratch + sizeof(T) * meta_group_rank();
    if (thread_rank() == (unsigned int)src_rank) __builtin_memcpy(place, &var, sizeof(T));
    sync();
    __builtin_memcpy((void*)&var, place, sizeof(T));
    sync();
    return var;
  }

 protected:
  HEDDLE_CG_MEMBER Tile(unsigned int, unsigned int) {}

 private:
  HEDDLE_CG_MEMBER unsigned int barrier() const { return (meta_group_rank() + 1) & 15; }
};

struct TileMaker {
  template <class T>
  HEDDLE_CG T make(unsigned int meta_rank, unsigned int meta_size) {
    return T(meta_rank, meta_size);
  }
};

}  // namespace details

template <unsigned int Size, class ParentT = void>
class thread_block_tile : public details::Tile<Size, (Size <= 32)> {
  static_assert((Size & (Size - 1)) == 0 && Size >= 1 && Size <= 1024, "a tile has 1, 2, 4 ... 1024 threads");
  friend struct details::TileMaker;

 protected:
  HEDDLE_CG_MEMBER thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
      : details::Tile<Size, (Size <= 32)>(meta_rank, meta_size) {}
};
// Of any parent: what functions take.
template <unsigned int Size>
class thread_block_tile<Size, void> : public details::Tile<Size, (Size <= 32)> {
  friend struct details::TileMaker;

 public:
  template <class ParentT>
  HEDDLE_CG_MEMBER thread_block_tile(const thread_block_tile<Size, ParentT>& tile)
      : details::Tile<Size, (Size <= 32)>(tile.meta_group_rank(), tile.meta_group_size()) {}

 protected:
  HEDDLE_CG_MEMBER thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
      : details::Tile<Size, (Size <= 32)>(meta_rank, meta_size) {}
};

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif

#endif
