// Feeds the loader of filter files of the module for Redis: with a file, as BLOOM.LOAD does, in chunks, and with a front, as
// RESTORE does. A file that is taken is asked, copied, and comes back from its front the same.
//
//   the input is a native file, and behind it two bytes:
//   the last but one    the size of a chunk, in units of 16 bytes
//   the last            bit 0: the checksums of header and payload are put right, so that what lies behind them is reached
//                       bit 1: the input is a front (file_value.h) and then the bytes of a file
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/crc32c.h"
#include "base/endian.h"
#include "redis_module/file_value.h"

namespace {

using namespace bloomery;
using namespace bloomery::redis_module;

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20;
constexpr std::size_t kFrontBytes = 244;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void mend(std::vector<std::byte>& file) {
  if (file.size() < kNativeHeaderBytes) {
    return;
  }
  std::byte* const header = file.data();
  const std::uint64_t rest = file.size() - kNativeHeaderBytes;
  const std::uint64_t payload = std::min(load_little64(header + native_header::kPayloadBytesAt), rest);
  const auto is_ribbon = load_little<std::uint16_t>(header + native_header::kTypeAt) == 3;
  const std::uint64_t covered =
      is_ribbon
          ? std::min(payload, ribbon_directory_bytes(load_little32(header + native_header::kHeldShardsAt)))
          : payload;
  store_little(header + native_header::kPayloadChecksumAt,
               crc32c(std::span(file).subspan(kNativeHeaderBytes, covered)));
  store_little(header + native_header::kHeaderChecksumAt,
               crc32c(std::span(file).first(native_header::kHeaderChecksumAt)));
}

void take_all(FileValue& value, std::span<const std::byte> file, std::size_t chunk) {
  while (value.taken() < value.size() && value.taken() < file.size()) {
    const auto piece = file.subspan(value.taken(), std::min(chunk, file.size() - value.taken()));
    if (!value.take(value.taken(), crc32c(piece), piece)) {
      return;
    }
  }
}

void ask(const FileValue& value) {
  const std::vector<std::string_view> items = {"a", "", "0123456789abcdef", "a key"};
  std::vector<std::uint64_t> answers(1);
  const Status asked = value.may_contain(items, answers);
  require(value.is_finished() || (asked && (answers[0] & 15) == 15));
}

void check_finished(const FileValue& value) {
  ask(value);
  const auto copy = value.copy();
  require(copy != nullptr && std::ranges::equal(copy->bytes(), value.bytes()));
  const std::string front = value.front();
  Result<FileValue::Front> again = FileValue::of_front(std::as_bytes(std::span(front)));
  require(again && again->is_finished && again->taken == value.size());
  take_all(*again->value, value.bytes(), kMostChunkBytes);
  require(again->value->finish().has_value() && again->value->front() == front);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> file(bytes, bytes + size - 2);
  const std::size_t chunk = std::size_t{16} * data[size - 2] + 16;
  const bool mends = (data[size - 1] & 1) != 0;
  if ((data[size - 1] & 2) != 0) {
    if (mends && file.size() >= kFrontBytes) {
      store_little(file.data() + kFrontBytes - 4, crc32c(std::span(file).first(kFrontBytes - 4)));
    }
    const auto front = std::span(file).first(std::min(file.size(), kFrontBytes));
    if (auto read = FileValue::of_front(front)) {
      take_all(*read->value, std::span(file).subspan(front.size()), chunk);
      ask(*read->value);
      if (read->value->finish()) {
        check_finished(*read->value);
      }
    }
    return 0;
  }
  if (mends) {
    mend(file);
  }
  const auto header = std::span(file).first(std::min(file.size(), kNativeHeaderBytes));
  auto value = FileValue::begin(header, crc32c(file), std::nullopt, kMostBytes);
  if (value) {
    take_all(**value, file, chunk);
    ask(**value);
    if ((*value)->finish()) {
      check_finished(**value);
    }
  }
  return 0;
}
