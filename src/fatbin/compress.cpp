#include "fatbin/compress.h"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

namespace heddle::fatbin {
namespace {

const char* chars(std::span<const std::byte> bytes) { return reinterpret_cast<const char*>(bytes.data()); }

Error wrong_size(uint64_t got, uint64_t expected) {
  return {"unpacks to " + std::to_string(got) + " bytes, its header says " + std::to_string(expected)};
}

Result<std::string> unpack_lz4(std::span<const std::byte> stored, uint64_t bytes) {
  // One byte of a block never makes more than 255 (LZ4 block format: length bytes of matches), so a size
  // that cannot be needs no memory to be refused.
  if (bytes > (stored.size() + 1) * 255)
    return Error{"says that " + std::to_string(stored.size()) + " bytes of LZ4 unpack to " +
                 std::to_string(bytes)};
  std::string out(bytes, '\0');
  const int got = LZ4_decompress_safe(chars(stored), out.data(), static_cast<int>(stored.size()),
                                      static_cast<int>(bytes));
  if (got < 0) return Error{"is no LZ4 block of " + std::to_string(bytes) + " bytes"};
  if (static_cast<uint64_t>(got) != bytes) return wrong_size(static_cast<uint64_t>(got), bytes);
  return out;
}

// In pieces, so that memory grows with what really comes out.
Result<std::string> unpack_zstd(std::span<const std::byte> stored, uint64_t bytes) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (context == nullptr) return Error{"cannot be unpacked: out of memory"};
  constexpr uint64_t piece = uint64_t{1} << 20;
  std::string out;
  ZSTD_inBuffer in{stored.data(), stored.size(), 0};
  for (;;) {
    const uint64_t before = out.size();
    out.resize(std::min(bytes, before + piece) + 1);  // one more shows that there is too much
    ZSTD_outBuffer to{out.data() + before, out.size() - before, 0};
    const std::size_t left = ZSTD_decompressStream(context.get(), &to, &in);
    out.resize(before + to.pos);
    if (ZSTD_isError(left) != 0) return Error{std::string("is no zstd frame: ") + ZSTD_getErrorName(left)};
    if (out.size() > bytes)
      return Error{"unpacks to more than the " + std::to_string(bytes) + " bytes that its header says"};
    if (left == 0) break;
    if (in.pos == in.size && to.pos < to.size) return Error{"is a zstd frame that is cut off"};
  }
  if (out.size() != bytes) return wrong_size(out.size(), bytes);
  return out;
}

}  // namespace

Result<std::string> compress(Compression how, std::string_view content) {
  if (content.size() > most_bytes)
    return Error{"has " + std::to_string(content.size()) + " bytes, at most " + std::to_string(most_bytes) +
                 " are packed"};
  std::string out;
  if (how == Compression::lz4) {
    out.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(content.size()))));
    const int got = LZ4_compress_default(content.data(), out.data(), static_cast<int>(content.size()),
                                         static_cast<int>(out.size()));
    if (got <= 0) return Error{"cannot be packed by LZ4"};
    out.resize(static_cast<std::size_t>(got));
  } else if (how == Compression::zstd) {
    out.resize(ZSTD_compressBound(content.size()));
    const std::size_t got = ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3);
    if (ZSTD_isError(got) != 0)
      return Error{std::string("cannot be packed by zstd: ") + ZSTD_getErrorName(got)};
    out.resize(got);
  } else {
    out = content;
  }
  return out;
}

Result<std::string> decompress(Compression how, std::span<const std::byte> stored, uint64_t bytes) {
  if (bytes > most_bytes)
    return Error{"has " + std::to_string(bytes) + " bytes, at most " + std::to_string(most_bytes) +
                 " are unpacked"};
  if (how == Compression::lz4) return unpack_lz4(stored, bytes);
  if (how == Compression::zstd) return unpack_zstd(stored, bytes);
  return std::string(chars(stored), stored.size());
}

}  // namespace heddle::fatbin
