#include "exec/interp/texture/sample.h"

#include <algorithm>
#include <cmath>

#include "exec/interp/texture/axis.h"
#include "exec/interp/texture/cube.h"

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
    buffer_ = image_.shape == TextureShape::linear_buffer;
    std::array<double, 3> at = lookup.at;
    if (lookup.cube) {
      const FacePlace place = face_of(lookup.at);
      face_ = place.face;
      at = {place.s, place.t, 0};
    }
    const std::array<uint64_t, 3> sizes{mip_.width, mip_.height, mip_.depth};
    for (std::size_t i = 0; i < axes(); ++i) {
      AddressMode mode = lookup.cube ? AddressMode::clamp_to_edge : sampler.address[i];
      if (buffer_) mode = AddressMode::clamp_to_border;
      axes_[i] = axis_of(sizes[i], mode, normalized_);
      at_[i] = position(axes_[i], at[i]);
    }
  }

  Words nearest() const { return words(nearest_texel()); }
  Values nearest_values() const { return values(nearest_texel()); }
  Values linear() const {
    std::array<Pair, 3> pairs;
    for (std::size_t i = 0; i < axes(); ++i) pairs[i] = linear_pair(at_[i], lookup_.offset[i]);
    const double unit =
        lookup_.reference || (lookup_.cube && sampler_.seamless_cubemap) ? 1 : normalized_unit(reading_);
    Values sum{-0.0, -0.0, -0.0, -0.0};
    for (unsigned corner = 0; corner < 1u << axes(); ++corner) {
      Index index{};
      double weight = 1;
      for (std::size_t i = 0; i < axes(); ++i) {
        const bool second = (corner >> i & 1) != 0;
        index[i] = second ? pairs[i].second : pairs[i].first;
        weight *= (second ? pairs[i].weight : 256 - pairs[i].weight) / 256.0;
      }
      if (weight == 0) continue;  // not looked at: an infinity there makes no NaN
      const Values texel = whole_values(index, unit);
      for (std::size_t c = 0; c < 4; ++c) sum[c] += weight * texel[c];
    }
    for (double& channel : sum) channel /= unit;
    return sum;
  }
  Words gather(unsigned component) const {
    std::array<Pair, 2> pairs;
    for (std::size_t i = 0; i < 2; ++i) pairs[i] = linear_pair(at_[i], lookup_.offset[i]);
    const auto [x, y] = pairs;
    const std::array<Index, 4> corners{Index{x.first, y.second, 0}, Index{x.second, y.second, 0},
                                       Index{x.second, y.first, 0}, Index{x.first, y.first, 0}};
    Words result;
    for (std::size_t i = 0; i < 4; ++i) result[i] = words(corners[i])[component];
    return result;
  }

 private:
  std::size_t axes() const { return lookup_.cube ? 2 : lookup_.axes; }

  Index nearest_texel() const {
    Index index{};
    for (std::size_t i = 0; i < axes(); ++i)
      index[i] = static_cast<int64_t>(std::floor(at_[i])) + lookup_.offset[i];
    // A face's outer border is part of it.
    if (lookup_.cube)
      for (std::size_t i = 0; i < 2; ++i) index[i] = std::clamp<int64_t>(index[i], 0, axes_[i].size - 1);
    return index;
  }

  // Beyond a corner of a face there is no texel: the three around it have equal parts.
  bool beyond_corner(const Index& i) const {
    return lookup_.cube && sampler_.seamless_cubemap && (i[0] < 0 || i[0] >= axes_[0].size) &&
           (i[1] < 0 || i[1] >= axes_[1].size);
  }
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
    if (lookup_.cube && sampler_.seamless_cubemap) {
      const FaceTexel texel = across_edge(face_, index[0], index[1], axes_[0].size);
      face = texel.face;
      index = {texel.x, texel.y, 0};
    }
    for (std::size_t i = 0; i < axes(); ++i)
      if ((index[i] = texel_index(axes_[i], index[i])) == outside) return nullptr;
    const int64_t slice = lookup_.axes == 3 && !lookup_.cube ? index[2] : slice_of(face);
    return mip_.data + static_cast<uint64_t>(slice) * mip_.slice_pitch +
           static_cast<uint64_t>(index[1]) * mip_.row_pitch +
           static_cast<uint64_t>(index[0]) * image_.texel.bytes();
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
  // Normalised integers before they are divided by `unit`, so that their sums are exact.
  Values whole_values(const Index& index, double unit) const {
    Values texel = values(index);
    if (unit == 1) return texel;
    const bool inside = find(index) != nullptr;
    for (double& channel : texel) channel = inside ? std::nearbyint(channel * unit) : channel * unit;
    return texel;
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
  bool normalized_, buffer_ = false;
  int face_ = 0;
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
  const auto values = [&](uint32_t number) {
    const Level level(texture, sampler, lookup, reading, number);
    return filtered ? level.linear() : level.nearest_values();
  };
  uint32_t number = static_cast<uint32_t>(std::floor(chosen + 0.5));
  if (between) {
    // As between texels: 8 bits of fraction, rounded.
    const auto fixed = static_cast<uint32_t>(std::floor(chosen * 256 + 0.5));
    number = fixed >> 8;
    if (const uint32_t weight = fixed & 255; weight != 0) {
      const Values near = values(number), far = values(number + 1);
      Values sum;
      for (std::size_t c = 0; c < 4; ++c) sum[c] = (near[c] * (256 - weight) + far[c] * weight) / 256;
      return to_filtered_words(reading, sum);
    }
  }
  if (filtered) return to_filtered_words(reading, values(number));
  return Level(texture, sampler, lookup, reading, number).nearest();
}

Words gather(const TextureObject& texture, const Sampler& sampler, const Lookup& lookup, unsigned component) {
  const Reading reading = reading_of(texture);
  return Level(texture, sampler, lookup, reading, 0).gather(component);
}

}  // namespace heddle::exec::interp
