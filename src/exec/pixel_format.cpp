#include "exec/pixel_format.h"

namespace heddle::exec {

namespace {

constexpr std::array orders{
    PixelOrder{0x10b0, {0, -1, -1, -1}, 1, false},                               // R
    PixelOrder{0x10b1, {3, -1, -1, -1}, 1, true},                                // A
    PixelOrder{0x10b2, {0, 1, -1, -1}, 2, false},                                // RG
    PixelOrder{0x10b3, {0, 3, -1, -1}, 2, true},                                 // RA
    PixelOrder{0x10b4, {0, 1, 2, -1}, 3, false},                                 // RGB
    PixelOrder{0x10b5, {0, 1, 2, 3}, 4, true},                                   // RGBA
    PixelOrder{0x10b6, {2, 1, 0, 3}, 4, true},                                   // BGRA
    PixelOrder{0x10b7, {3, 0, 1, 2}, 4, true},                                   // ARGB
    PixelOrder{0x10b8, {0, -1, -1, -1}, 1, true, PixelOrder::Fill::intensity},   // INTENSITY
    PixelOrder{0x10b9, {0, -1, -1, -1}, 1, false, PixelOrder::Fill::luminance},  // LUMINANCE
    PixelOrder{0x10ba, {0, -1, -1, -1}, 1, true},                                // Rx
    PixelOrder{0x10bb, {0, 1, -1, -1}, 2, true},                                 // RGx
    PixelOrder{0x10bc, {0, 1, 2, -1}, 3, true},                                  // RGBx
    PixelOrder{0x10bd, {0, -1, -1, -1}, 1, false},                               // DEPTH
    PixelOrder{0x10bf, {0, 1, 2, -1}, 3, false, PixelOrder::Fill::usual, true},  // sRGB
    PixelOrder{0x10c0, {0, 1, 2, -1}, 4, false, PixelOrder::Fill::usual, true},  // sRGBx
    PixelOrder{0x10c1, {0, 1, 2, 3}, 4, true, PixelOrder::Fill::usual, true},    // sRGBA
    PixelOrder{0x10c2, {2, 1, 0, 3}, 4, true, PixelOrder::Fill::usual, true},    // sBGRA
    PixelOrder{0x10c3, {3, 2, 1, 0}, 4, true},                                   // ABGR
};

constexpr std::array types{
    PixelType{0x10d0, PixelType::Coding::snorm, 8},
    PixelType{0x10d1, PixelType::Coding::snorm, 16},
    PixelType{0x10d2, PixelType::Coding::unorm, 8},
    PixelType{0x10d3, PixelType::Coding::unorm, 16},
    PixelType{0x10d4, PixelType::Coding::unorm, 16, {5, 6, 5, 0}},
    PixelType{0x10d5, PixelType::Coding::unorm, 16, {5, 5, 5, 0}},
    PixelType{0x10d6, PixelType::Coding::unorm, 32, {10, 10, 10, 0}},
    PixelType{0x10e0, PixelType::Coding::unorm, 32, {10, 10, 10, 2}},
    PixelType{0x10d7, PixelType::Coding::sint, 8},
    PixelType{0x10d8, PixelType::Coding::sint, 16},
    PixelType{0x10d9, PixelType::Coding::sint, 32},
    PixelType{0x10da, PixelType::Coding::uint, 8},
    PixelType{0x10db, PixelType::Coding::uint, 16},
    PixelType{0x10dc, PixelType::Coding::uint, 32},
    PixelType{0x10dd, PixelType::Coding::half, 16},
    PixelType{0x10de, PixelType::Coding::single, 32},
    PixelType{0x10df, PixelType::Coding::unorm, 32, {0, 24, 0, 0}},  // UNORM_INT24
};

}  // namespace

const PixelOrder& pixel_order(PixelFormat format) {
  for (const PixelOrder& order : orders)
    if (order.number == format.order) return order;
  return orders[0];
}

const PixelType& pixel_type(PixelFormat format) {
  for (const PixelType& type : types)
    if (type.number == format.type) return type;
  return types[2];
}

}  // namespace heddle::exec
