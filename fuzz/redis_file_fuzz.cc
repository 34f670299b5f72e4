// Feeds the loader of filter files of the module for Redis: with a file, as BLOOM.LOAD does, in chunks, and with a front, as
// RESTORE does. A file that is taken is asked, copied, and comes back from its front the same. If it takes items it gets some,
// knows them, and is a whole file still; its copy is what it was. If it is of a type that takes none and the library opens the
// file, it says maybe wherever the library does, and a windowed file does so at every moment. It meets every command of the
// module.
//
//   the input is a native file, and behind it two bytes:
//   the last but one    the size of a chunk, in units of 16 bytes
//   the last            bit 0: the checksums of header and payload are put right, so that what lies behind them is reached
//                       bit 1: the input is a front (file_value.h) and then the bytes of a file
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/endian.h"
#include "redis_module/file_value.h"
#include "tests/redis_module/server_in_memory.h"

namespace {

using namespace bloomery;
using namespace bloomery::redis_module;

constexpr std::uint64_t kMostFileBytes = std::uint64_t{4} << 20;
constexpr std::size_t kFrontBytes = 244;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// Puts the checksums of the parts right, so far as the header leads to them.
void mend(std::vector<std::byte>& file) {
  if (file.size() < kNativeHeaderBytes) {
    return;
  }
  std::byte* const header = file.data();
  std::span<const std::byte> rest = std::span(file).subspan(kNativeHeaderBytes);
  const auto next = [&](std::uint64_t bytes) {
    const auto part = rest.first(std::min<std::uint64_t>(bytes, rest.size()));
    rest = rest.subspan(part.size());
    return part;
  };
  const auto is_ribbon = load_little<std::uint16_t>(header + native_header::kTypeAt) == 3;
  const auto payload = next(load_little64(header + native_header::kPayloadBytesAt));
  (void)next(load_little64(header + native_header::kColumnBytesAt));
  const auto exceptions = next(load_little64(header + native_header::kExceptionBytesAt));
  const std::uint64_t covered =
      is_ribbon
          ? std::min<std::uint64_t>(
                payload.size(), shard_directory_bytes(load_little32(header + native_header::kHeldShardsAt)))
          : payload.size();
  store_little(header + native_header::kPayloadChecksumAt, crc32c(payload.first(covered)));
  store_little(header + native_header::kExceptionChecksumAt, crc32c(exceptions));
  store_little(header + native_header::kMetadataChecksumAt, crc32c(rest));
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

std::vector<std::byte> bytes_of(const FileValue& value) {
  return value.read(0, value.size());
}

// Loads what the value would be saved as.
void check_saved(const FileValue& value) {
  const std::vector<std::byte> bytes = bytes_of(value);
  require(crc32c(bytes) == value.file_crc());
  const std::string front = value.front();
  Result<FileValue::Front> again = FileValue::of_front(std::as_bytes(std::span(front)));
  require(again && again->is_finished && again->taken == value.size());
  take_all(*again->value, bytes, kMostChunkBytes);
  require(again->value->finish().has_value() && again->value->front() == front);
}

void add_items(FileValue& value) {
  const std::vector<std::string_view> items = {"a", "12", "0123456789abcdef", "34", "a key", "12"};
  for (const std::string_view item : items) {
    const auto keys = value.keys_of({&item, 1});
    if (!keys) {
      continue;
    }
    Added outcome{};
    require(value.taking_items()->insert(*keys, 2 * kMostFileBytes, {&outcome, 1}) == 1);
    std::uint64_t answer = 0;
    require(value.may_contain({&item, 1}, {&answer, 1}).has_value());
    require(answer == 1 || (outcome != Added::kNew && outcome != Added::kKnown));
  }
}

// Asks for the keys of some items and, of an exact file, for the keys that its bytes name.
std::vector<Hash128> questions(const FileValue& value, std::span<const std::byte> bytes) {
  std::vector<Hash128> keys;
  for (const std::string_view item : {"a", "12", "0123456789abcdef", "a key"}) {
    if (const auto made = value.keys_of({&item, 1})) {
      keys.push_back(made->front());
    }
  }
  for (std::size_t at = kNativeHeaderBytes; at + 16 <= bytes.size() && keys.size() < 64; at += 16) {
    keys.push_back({.low = load_little64(bytes.data() + at), .high = load_little64(bytes.data() + at + 8)});
  }
  return keys;
}

// A wrong no is an error; a maybe where the library says no is not.
void check_against_library(const FileValue& value, std::uint64_t moment) {
  const std::vector<std::byte> bytes = bytes_of(value);
  const ClockReading now{.boot_id = {static_cast<std::byte>(moment % 2)},
                         .since_boot_ns = moment >> 1,
                         .wall_ns = static_cast<std::int64_t>(moment * 0x9e3779b97f4a7c15)};
  const WindowClock clock = [&now] { return now; };
  const auto opened = AnyFilter::view(
      bytes, {.verify = Verify::kChecksums, .recorded_keys = RecordedKeys::kKnown, .clock = &clock});
  if (!opened) {
    return;
  }
  const std::vector<Hash128> keys = questions(value, bytes);
  std::vector<std::uint64_t> expected((keys.size() + 63) / 64);
  std::vector<std::uint64_t> answers = expected;
  opened->may_contain_batch(keys, expected);
  if (value.whole()->windowed() != nullptr) {
    value.whole()->windowed()->may_contain(keys, answers, now);
  } else {
    value.whole()->may_contain(keys, answers);
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    require((expected[i] & ~answers[i]) == 0);
  }
  for (std::size_t i = 0; value.whole()->counts() && i < keys.size(); ++i) {
    require(value.whole()->count(keys[i]) >= *opened->count_at_most(keys[i]));
  }
}

void check_finished(FileValue& value) {
  ask(value);
  if (value.whole() != nullptr) {
    for (const std::uint64_t moment : {std::uint64_t{0}, std::uint64_t{3} << 60, value.size() << 40}) {
      check_against_library(value, moment);
    }
  }
  const auto copy = value.copy();
  const std::vector<std::byte> before = bytes_of(value);
  require(copy != nullptr && bytes_of(*copy) == before);
  check_saved(value);
  if (value.taking_items() != nullptr) {
    add_items(value);
    check_saved(value);
    require(bytes_of(*copy) == before);
  }
}

void meet_every_command(std::unique_ptr<FileValue> value) {
  if (value->size() >= (1U << 30)) {
    return;  // larger ones take long to copy
  }
  Context context;
  context.put("k", file_type(), value.release());
  call_every_command(context, "k");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  use_server_in_memory();
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
      meet_every_command(std::move(read->value));
    }
    return 0;
  }
  if (mends) {
    mend(file);
  }
  const auto header = std::span(file).first(std::min(file.size(), kNativeHeaderBytes));
  auto value = FileValue::begin(header, crc32c(file), std::nullopt, kMostFileBytes);
  if (value) {
    take_all(**value, file, chunk);
    ask(**value);
    if ((*value)->finish()) {
      check_finished(**value);
    }
    meet_every_command(std::move(*value));
  }
  return 0;
}
