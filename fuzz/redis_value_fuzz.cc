// Feeds the loaders of the module for Redis: with an RDB value, as RESTORE does, or with a header and chunks, as
// LOADCHUNK does. A value that is made of them is asked, grows, can be saved again, meets every command of the module, and
// comes back from a log that is rewritten.
//
//   byte 0    bit 0 clear: the rest is an RDB stream (tests/redis_module/rdb_in_memory.h)
//             bit 0 set: u16 size, header, then chunks as u16 size, bytes, each loaded behind the one before
//             bit 1 set: checksums are put right, so that what lies behind them is reached
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/endian.h"
#include "redis_module/value_bytes.h"
#include "tests/redis_module/rdb_in_memory.h"
#include "tests/redis_module/server_in_memory.h"

namespace {

using namespace bloomery;
using namespace bloomery::redis_module;

std::span<std::byte> take_sized(std::span<std::byte>& rest) {
  if (rest.size() < 2) {
    return {};
  }
  const std::size_t size = std::to_integer<std::size_t>(rest[0]) | std::to_integer<std::size_t>(rest[1]) << 8;
  rest = rest.subspan(2);
  const auto piece = rest.first(std::min(size, rest.size()));
  rest = rest.subspan(piece.size());
  return piece;
}

// Puts a number of 32 bits over the bytes at `offset`, if they are there.
void put(std::span<std::byte> bytes, std::size_t offset, std::uint32_t value) {
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof(value)) {
    store_little(bytes.data() + offset, value);
  }
}

void mend_front(std::span<std::byte> front) {
  if (front.size() > 4) {
    put(front, front.size() - 4, crc32c(front.first(front.size() - 4)));
  }
}

void mend_chunk(std::span<std::byte> chunk) {
  if (chunk.size() > 8 && chunk[0] == std::byte{'B'}) {
    put(chunk, 4, crc32c(chunk.subspan(8)));
  }
}

// Returns the string at `at` of an RDB stream, and moves `at` behind it; empty at the end.
std::span<std::byte> string_at(std::span<std::byte> stream, std::size_t& at) {
  if (stream.size() - at < 8) {
    return {};
  }
  const std::uint64_t size = load_little64(stream.data() + at);
  at += 8;
  const auto text = stream.subspan(at, std::min<std::uint64_t>(size, stream.size() - at));
  at += text.size();
  return text;
}

void mend_stream(std::span<std::byte> stream) {
  std::size_t at = 0;
  const auto front = string_at(stream, at);
  mend_front(front);
  std::uint32_t crc = crc32c(front);
  while (stream.size() - at >= 16) {
    crc = crc32c(string_at(stream, at), crc);
    if (stream.size() - at < 8) {
      return;
    }
    store_little(stream.data() + at, std::uint64_t{crc});
    at += 8;
  }
}

// Every item that was just added can be taken out, and counts go down by one.
void use_deletes(FilterValue& value, std::span<const std::string_view> keys) {
  for (const std::string_view key : keys) {
    const std::uint64_t before = value.count(key, 0);
    const Removed removed = value.remove(key);
    if ((before > 0) != (removed == Removed::kYes)) {
      std::abort();
    }
    if (before > 0 && before < kMaxQuotientCount && value.count(key, 0) != before - 1) {
      std::abort();
    }
  }
}

// Most of a payload must not be touched: headers may name a terabyte.
void use(FilterValue& value) {
  const std::vector<std::string_view> keys = {"a", "b", "", "a longer key than the others"};
  std::vector<std::uint64_t> answers(1);
  value.may_contain(keys, 0, answers);
  if (value.layout() == Layout::kQuotient) {
    static_cast<void>(value.count(keys[0], 0));
  }
  if (!value.is_loaded()) {
    return;
  }
  std::vector<Added> outcomes(keys.size());
  const std::size_t added = value.add(keys, std::uint64_t{1} << 30, outcomes);
  value.may_contain(keys, 0, answers);
  for (std::size_t i = 0; i < added; ++i) {
    const bool in = outcomes[i] == Added::kNew || outcomes[i] == Added::kKnown;
    if (in && value.lease_until() == 0 && (answers[0] >> i & 1) == 0) {
      std::abort();  // a wrong no
    }
  }
  if (value.layout() == Layout::kQuotient && !value.answers_maybe(0)) {
    use_deletes(value, keys);
  }
}

// A value is as much loaded after its log was rewritten as before, with its lease and its record. One that is loaded up to the
// middle of a table may have less.
void check_log(const Context& context) {
  const FilterValue& value = value_at(context, "k");
  Context again;
  if (!load_log(again, rewritten(context, "k")).empty() || !again.keys.contains("k")) {
    std::abort();
  }
  const FilterValue& other = value_at(again, "k");
  const bool is_same = value.is_loaded() ? saved(other) == saved(value)
                                         : !other.is_loaded() && other.loaded() <= value.loaded();
  if (!is_same || other.lease_until() != value.lease_until() || other.record() != value.record()) {
    std::abort();
  }
}

std::unique_ptr<FilterValue> loaded_in_chunks(std::span<std::byte> rest, bool mends) {
  const auto header = take_sized(rest);
  if (mends && !header.empty() && header[0] == std::byte{'B'}) {
    mend_front(header);
  }
  auto value = load_header(header);
  if (!value) {
    return nullptr;
  }
  while (rest.size() >= 2) {
    const auto chunk = take_sized(rest);
    if (mends) {
      mend_chunk(chunk);
    }
    const std::uint64_t head = (*value)->layout() != Layout::kRedisBloom ? 24 : 0;
    const std::uint64_t payload = chunk.size() > head ? chunk.size() - head : 0;
    static_cast<void>(load_chunk(**value, 1 + (*value)->loaded() + payload, chunk));
  }
  return std::move(value).value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  use_server_in_memory();
  std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto bytes = std::as_writable_bytes(std::span(rest));
  const bool mends = (data[0] & 2) != 0;
  if (mends && (data[0] & 1) == 0) {
    mend_stream(bytes);
  }
  std::unique_ptr<FilterValue> value = (data[0] & 1) == 0 ? loaded(rest) : loaded_in_chunks(bytes, mends);
  if (value != nullptr) {
    use(*value);
    if (value->payload_bytes() < (1U << 20) && loaded(saved(*value)) == nullptr) {
      std::abort();  // what was saved does not load
    }
    const std::uint64_t payload = value->payload_bytes();
    Context context;
    put_value(context, "k", std::move(value));
    if (payload < (1U << 30)) {  // larger ones take long to copy
      call_every_command(context, "k");
    }
    if (payload < (1U << 20)) {
      check_log(context);
    }
  }
  return 0;
}
