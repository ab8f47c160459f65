#include "exec/interp/texture/sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "exec/interp/texture/axis.h"
#include "exec/interp/texture/cube.h"
#include "exec/interp/texture/filter.h"
#include "exec/texel_address.h"

namespace heddle::exec::interp {
namespace {

using Index = std::array<int64_t, 3>;

bool holds(Relation relation, double a, double b) {
  switch (relation) {
    case Relation::never: return false;
    case Relation::less: return a < b;
    case Relation::equal: return a == b;
    case Relation::less_equal: return a <= b;
    case Relation::greater: return a > b;
    case Relation::not_equal: return a != b;
    case Relation::greater_equal: return a >= b;
    case Relation::always: return true;
  }
  return false;
}

// One level of the image under a lookup's coordinates.
class Level {
 public:
  Level(const TextureObject& texture, const Sampler& sampler, const Lookup& lookup, const Reading& reading,
        uint32_t number)
      : image_(texture.image),
        mip_(texture.image.mip[number]),
        sampler_(sampler),
        lookup_(lookup),
        reading_(reading),
        normalized_(!lookup.whole && (lookup.cube || (sampler.normalized_coordinates &&
                                                      texture.sampler.normalized_coordinates))) {
    open_ended_ = lookup.memory != nullptr && is_open_ended(image_);
    buffer_ = image_.shape == TextureShape::linear_buffer;
    at_ = lookup.at;
    if (lookup.cube) {
      const FacePlace place = face_of(lookup.at);
      face_ = place.face;
      at_ = {place.s, place.t, 0};
    }
    const std::array<uint64_t, 3> sizes{mip_.width, mip_.height, mip_.depth};
    axis_count_ = lookup.cube ? 2 : lookup.axes;
    for (std::size_t i = 0; i < axis_count_; ++i) {
      AddressMode mode = lookup.cube ? AddressMode::clamp_to_edge : sampler.address[i];
      if (buffer_) mode = AddressMode::clamp_to_border;
      axes_[i] = axis_of(sizes[i], mode, normalized_);
    }
    // One axis is the upper edge of a row, as an H100 has it: half of what is filtered there is border, if
    // that is what the second axis has beyond its edge.
    if (axis_count_ == 1 && !buffer_ && !image_.pixel.given() &&
        sampler.address[1] == AddressMode::clamp_to_border) {
      axes_[axis_count_++] = axis_of(1, AddressMode::clamp_to_border, false);
      at_[1] = 0;
    }
  }

  Words nearest() const { return words(nearest_texel()); }
  Values nearest_sum(const Filter& filter) const {
    Values sum = filtered(filter, nearest_texel());
    for (double& channel : sum) channel *= 256;
    return sum;
  }
  // In 256ths, as the filter has it.
  Values linear(const Filter& filter) const {
    std::array<Pair, 3> pairs;
    std::array<int32_t, 3> parts{};
    for (std::size_t i = 0; i < axis_count_; ++i) {
      pairs[i] = linear_pair(axes_[i], at_[i], lookup_.offset[i]);
      parts[i] = clamped(i, pairs[i]) ? 0 : pairs[i].weight;
    }
    std::array<int32_t, 8> weights = corner_weights(parts[0], parts[1], parts[2]);
    for (unsigned i = 0; i < 4 && is_seamless(); ++i)
      if (beyond_corner(corner_at(pairs, i))) share_weight(weights, i);
    Values sum{};
    for (unsigned slice = 0; slice < (axis_count_ > 2 ? 2U : 1U); ++slice) {
      std::array<Filter::Corner, 4> corners;
      for (unsigned i = 0; i < 4; ++i) {
        corners[i].weight = weights[4 * slice + i];
        if (corners[i].weight == 0) continue;
        corners[i].texel = filtered(filter, corner_at(pairs, 4 * slice + i));
      }
      const Values part = filter.sum(corners);
      for (std::size_t c = 0; c < 4; ++c) sum[c] = slice == 0 ? part[c] : sum[c] + part[c];
    }
    return sum;
  }
  Words gather(unsigned component) const {
    std::array<Pair, 2> pairs;
    for (std::size_t i = 0; i < 2; ++i) pairs[i] = linear_pair(axes_[i], at_[i], lookup_.offset[i]);
    const auto [x, y] = pairs;
    const std::array<Index, 4> corners{Index{x.first, y.second, 0}, Index{x.second, y.second, 0},
                                       Index{x.second, y.first, 0}, Index{x.first, y.first, 0}};
    Words result;
    for (std::size_t i = 0; i < 4; ++i) result[i] = words(corners[i])[component];
    return result;
  }

 private:
  Index corner_at(const std::array<Pair, 3>& pairs, unsigned corner) const {
    Index index{};
    for (std::size_t axis = 0; axis < axis_count_; ++axis)
      index[axis] = (corner >> axis & 1) != 0 ? pairs[axis].second : pairs[axis].first;
    return index;
  }
  // Whether both texels of a pair are the one at an edge: the first counts wholly then.
  bool clamped(std::size_t axis, const Pair& pair) const {
    return axes_[axis].mode == AddressMode::clamp_to_edge && !is_seamless() &&
           (pair.first < 0 || pair.second >= axes_[axis].size);
  }

  Index nearest_texel() const {
    Index index{};
    for (std::size_t i = 0; i < axis_count_; ++i)
      index[i] = static_cast<int64_t>(std::floor(position(axes_[i], at_[i]))) + lookup_.offset[i];
    // A face's outer border is part of it.
    if (lookup_.cube)
      for (std::size_t i = 0; i < 2; ++i) index[i] = std::clamp<int64_t>(index[i], 0, axes_[i].size - 1);
    return index;
  }

  bool is_seamless() const { return lookup_.cube && sampler_.seamless_cubemap; }
  // Beyond a corner of a face there is no texel: the three around it share its weight, in 256ths. Those
  // beyond an edge get a third, rounded, and what is left goes to the one within, as an H100 has it
  // (tests/hw/h200/textures/cubes.cu).
  bool beyond_corner(const Index& i) const {
    return is_seamless() && (i[0] < 0 || i[0] >= axes_[0].size) && (i[1] < 0 || i[1] >= axes_[1].size);
  }
  static void share_weight(std::array<int32_t, 8>& weights, unsigned corner) {
    const int32_t all = std::exchange(weights[corner], 0), third = (all + 1) / 3;
    weights[corner ^ 1] += third;
    weights[corner ^ 2] += third;
    weights[corner ^ 3] += all - 2 * third;
  }
  // For a gather, which has no weights: their mean.
  Values around_corner(const Index& i) const {
    const int64_t x = std::clamp<int64_t>(i[0], 0, axes_[0].size - 1);
    const int64_t y = std::clamp<int64_t>(i[1], 0, axes_[1].size - 1);
    Values sum{};
    for (const Index& part : {Index{x, y, 0}, Index{i[0], y, 0}, Index{x, i[1], 0}}) {
      const Values texel = values(part);
      for (std::size_t c = 0; c < 4; ++c) sum[c] += texel[c] / 3;
    }
    return sum;
  }

  // nullptr: the border.
  const std::byte* find(Index index) const {
    int face = face_;
    if (is_seamless()) {
      const FaceTexel texel = across_edge(face_, index[0], index[1], axes_[0].size);
      face = texel.face;
      index = {texel.x, texel.y, 0};
    }
    for (std::size_t i = 0; i < axis_count_; ++i)
      if ((index[i] = texel_index(axes_[i], index[i])) == outside) return nullptr;
    const int64_t slice = lookup_.axes == 3 && !lookup_.cube ? index[2] : slice_of(face);
    const uint64_t offset = static_cast<uint64_t>(slice) * mip_.slice_pitch +
                            static_cast<uint64_t>(index[1]) * mip_.row_pitch +
                            static_cast<uint64_t>(index[0]) * image_.texel.bytes();
    if (open_ended_ && !is_there(mip_.data + offset)) return nullptr;
    if (lookup_.seen != nullptr) lookup_.seen->push_back(texel_address(image_, mip_, offset));
    return mip_.data + offset;
  }
  bool is_there(const std::byte* texel) const {
    const auto address = reinterpret_cast<uintptr_t>(texel);
    if (lookup_.memory->accessible(address, image_.texel.bytes(), false)) return true;
    if (lookup_.missed == 0) lookup_.missed = address;
    return false;
  }
  // Layers clamp (PTX ISA 9.7.10.3).
  int64_t slice_of(int face) const {
    const auto slices = std::max<int64_t>(1, static_cast<int64_t>(mip_.depth));
    const int64_t samples = std::max<int64_t>(1, image_.samples);
    const int64_t faces = lookup_.cube ? 6 : 1;
    const int64_t layers = std::max<int64_t>(1, slices / (samples * faces));
    const int64_t layer = std::clamp<int64_t>(lookup_.layer, 0, layers - 1);
    const int64_t sample = std::clamp<int64_t>(lookup_.sample, 0, samples - 1);
    return std::min(slices - 1, (layer * faces + face) * samples + sample);
  }

  Values values(const Index& index) const {
    if (beyond_corner(index)) return around_corner(index);
    const std::byte* at = find(index);
    Values texel = at != nullptr ? texel_values(reading_, at) : border();
    if (lookup_.reference)
      for (std::size_t c = 0; c < 4; ++c)
        if (image_.texel.bits[c] != 0)
          texel[c] = holds(sampler_.compare, *lookup_.reference, texel[c]) ? 1 : 0;
    return texel;
  }
  Values filtered(const Filter& filter, const Index& index) const {
    if (lookup_.reference) return values(index);
    const std::byte* at = find(index);
    return at != nullptr ? filter.texel(at) : filter.border(sampler_.border);
  }
  // The bits as they are, where nothing is computed.
  Words words(const Index& index) const {
    if (!lookup_.reference && !beyond_corner(index))
      if (const std::byte* at = find(index); at != nullptr) return texel_words(reading_, at);
    return to_words(reading_, values(index));
  }
  // Beyond the end of linear memory there is 0, whatever the sampler says.
  Values border() const { return buffer_ ? Values{} : border_values(reading_, sampler_.border); }

  const TexelArray& image_;
  const MipLevel& mip_;
  const Sampler& sampler_;
  const Lookup& lookup_;
  const Reading& reading_;
  bool normalized_, buffer_ = false, open_ended_ = false;
  int face_ = 0;
  std::size_t axis_count_ = 2;
  std::array<Axis, 3> axes_;
  std::array<double, 3> at_{};
};

// log2 of the longer derivative, in texels of the first level.
double level_by_slopes(const TextureObject& texture, const Sampler& sampler, const Lookup& lookup) {
  const MipLevel& base = texture.image.mip[0];
  const std::array<uint64_t, 3> sizes{base.width, base.height, base.depth};
  const bool normalized =
      lookup.cube || (sampler.normalized_coordinates && texture.sampler.normalized_coordinates);
  double longest = 0;
  for (std::array<double, 3> slope : *lookup.slopes) {
    std::size_t axes = lookup.axes;
    if (lookup.cube) {
      const auto [s, t] = face_slope(lookup.at, slope);
      slope = {s, t, 0};
      axes = 2;
    }
    double square = 0;
    for (std::size_t i = 0; i < axes; ++i) {
      const double texels = normalized && !lookup.whole ? slope[i] * static_cast<double>(sizes[i]) : slope[i];
      square += texels * texels;
    }
    longest = std::max(longest, std::sqrt(square));
  }
  return longest > 0 ? std::log2(longest) : -HUGE_VAL;
}

uint32_t level_count(const TexelArray& image) {
  uint32_t count = 1;
  while (count < image.levels && count < max_mip_levels && image.mip[count].data != nullptr) ++count;
  return count;
}

double chosen_level(const TextureObject& texture, const Sampler& sampler, const Lookup& lookup) {
  double level = lookup.slopes ? level_by_slopes(texture, sampler, lookup) : lookup.level;
  if (lookup.levels || lookup.slopes)
    level = std::min<double>(std::max<double>(level + sampler.lod_bias, sampler.min_lod), sampler.max_lod);
  const double last = level_count(texture.image) - 1;
  return level > 0 ? std::min(level, last) : 0;  // NaN: 0
}

}  // namespace

Words sample(const TextureObject& texture, const Sampler& sampler, const Lookup& lookup) {
  const Reading reading = reading_of(texture);
  const double chosen = chosen_level(texture, sampler, lookup);
  const bool filtered = filters(reading) && !lookup.whole && sampler.filter == FilterMode::linear &&
                        texture.image.shape != TextureShape::linear_buffer;
  const bool between = reading.real() && !lookup.whole && sampler.mip_filter == FilterMode::linear;
  const Filter filter(reading, lookup.reference.has_value());
  const auto sums = [&](uint32_t number) {
    const Level level(texture, sampler, lookup, reading, number);
    return filtered ? level.linear(filter) : level.nearest_sum(filter);
  };
  uint32_t number = static_cast<uint32_t>(std::floor(chosen + 0.5));
  if (between) {
    // As between texels: 8 bits of fraction, rounded.
    const auto fixed = static_cast<uint32_t>(std::floor(chosen * 256 + 0.5));
    number = fixed >> 8;
    if (const uint32_t weight = fixed & 255; weight != 0) {
      const Values near = sums(number), far = sums(number + 1);
      Values sum;
      for (std::size_t c = 0; c < 4; ++c) sum[c] = (near[c] * (256 - weight) + far[c] * weight) / 256;
      return filter.words(sum);
    }
  }
  if (filtered) return filter.words(sums(number));
  return Level(texture, sampler, lookup, reading, number).nearest();
}

Words gather(const TextureObject& texture, const Sampler& sampler, const Lookup& lookup, unsigned component) {
  const Reading reading = reading_of(texture);
  return Level(texture, sampler, lookup, reading, 0).gather(component);
}

}  // namespace heddle::exec::interp
