#include "dedup/key_table.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include "base/prefetch.h"
#include "bloomery/filter/native_filter.h"
#include "dedup/memory_bound.h"

namespace bloomery {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{4} << 20;
// How many keys ahead a key's home is prefetched, and later the record of its entry.
constexpr std::size_t kHomeAhead = 32;
constexpr std::size_t kRecordAhead = 12;
constexpr const char* kWhat = "the keys of the lines so far";

constexpr std::size_t kLongestSize = 9;

// A size below 255 needs one byte. A larger one needs the byte 255 and eight more. Most keys are short, and a
// record is read far more often than it is written.
std::size_t size_bytes(std::size_t size) {
  return size < 255 ? 1 : kLongestSize;
}

char* put_sized(char* out, std::string_view text) {
  if (text.size() < 255) {
    *out++ = static_cast<char>(text.size());
  } else {
    const std::uint64_t size = text.size();
    *out = static_cast<char>(255);
    std::memcpy(out + 1, &size, sizeof(size));
    out += kLongestSize;
  }
  return std::ranges::copy(text, out).out;
}

std::string_view sized_at(const char* in) {
  const auto first = static_cast<unsigned char>(*in);
  if (first < 255) {
    return {in + 1, first};
  }
  std::uint64_t size = 0;
  std::memcpy(&size, in + 1, sizeof(size));
  return {in + kLongestSize, size};
}

}  // namespace

Status KeyTable::test_and_insert_batch(std::span<const std::string_view> keys,
                                       std::span<const Hash128> hashes,
                                       std::span<const std::string_view> lines,
                                       std::span<std::uint64_t> answers) {
  assert(hashes.size() == keys.size() && lines.size() == keys.size());
  assert(answers.size() >= answer_words(keys.size()));
  BLOOMERY_RETURN_IF_ERROR(check_memory_for(table_.growth_for(keys.size()), kWhat));
  if (!table_.reserve(keys.size())) {
    return no_memory(kWhat);
  }
  std::fill_n(answers.begin(), answer_words(keys.size()), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kHomeAhead < keys.size()) {
      table_.prefetch(hashes[i + kHomeAhead].low);
    }
    if (i + kRecordAhead < keys.size()) {
      prefetch_record(hashes[i + kRecordAhead].low);
    }
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_new, test_and_insert(keys[i], hashes[i].low, lines[i]));
    answers[i / 64] |= static_cast<std::uint64_t>(is_new) << (i % 64);
  }
  return {};
}

void KeyTable::prefetch_record(std::uint64_t hash) {
  const std::uint64_t value = std::max<std::uint64_t>(hash, 1);
  if (const Entry* const entry = table_.lower_bound(value); entry->value == value) {
    prefetch_to_read(record_at(entry->place));
  }
}

Result<bool> KeyTable::test_and_insert(std::string_view key, std::uint64_t hash, std::string_view line) {
  const std::uint64_t value = std::max<std::uint64_t>(hash, 1);
  Entry* entry = table_.lower_bound(value);
  for (; entry->value == value; ++entry) {
    char* const record = record_at(entry->place);
    if (key_of(record) == key) {
      if (keep_.counts) {
        std::uint64_t count = 0;
        std::memcpy(&count, record, sizeof(count));
        ++count;
        std::memcpy(record, &count, sizeof(count));
      }
      return false;
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Place place, append(key, line));
  if (!table_.insert_at(entry, {.value = value, .place = place})) {
    return no_memory(kWhat);
  }
  return true;
}

Result<KeyTable::Place> KeyTable::append(std::string_view key, std::string_view line) {
  const std::size_t line_bytes = keep_.lines ? size_bytes(line.size()) + line.size() : 0;
  const std::size_t size = count_bytes() + size_bytes(key.size()) + key.size() + line_bytes;
  BLOOMERY_ASSIGN_OR_RETURN(char* out, room_for(size));
  const Place place{.chunk = static_cast<std::uint32_t>(chunks_.size() - 1),
                    .offset = static_cast<std::uint32_t>(out - chunks_.back().bytes.get())};
  if (keep_.counts) {
    constexpr std::uint64_t kOne = 1;
    std::memcpy(out, &kOne, sizeof(kOne));
    out += sizeof(kOne);
  }
  out = put_sized(out, key);
  if (keep_.lines) {
    put_sized(out, line);
  }
  return place;
}

Result<char*> KeyTable::room_for(std::size_t size) {
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < size) {
    const std::size_t chunk_bytes = std::max(size, kChunkBytes);
    // The check reads the memory of the process, so it covers 16 chunks at a time.
    if (chunks_.size() % 16 == 0 || chunk_bytes > kChunkBytes) {
      BLOOMERY_RETURN_IF_ERROR(check_memory_for(16 * kChunkBytes + chunk_bytes, kWhat));
    }
    Chunk chunk{.bytes = std::unique_ptr<char[]>(new (std::nothrow) char[chunk_bytes]), .size = chunk_bytes};
    if (chunk.bytes == nullptr) {
      return no_memory(kWhat);
    }
    chunks_.push_back(std::move(chunk));
  }
  Chunk& chunk = chunks_.back();
  char* const room = chunk.bytes.get() + chunk.used;
  chunk.used += size;
  return room;
}

std::string_view KeyTable::key_of(const char* record, const char** behind) const {
  const std::string_view key = sized_at(record + count_bytes());
  if (behind != nullptr) {
    *behind = key.data() + key.size();
  }
  return key;
}

Status KeyTable::for_each(
    const std::function<Status(std::uint64_t count, std::string_view line)>& use) const {
  assert(keep_.counts);
  for (const Chunk& chunk : chunks_) {
    const char* record = chunk.bytes.get();
    const char* const end = record + chunk.used;
    while (record < end) {
      std::uint64_t count = 0;
      std::memcpy(&count, record, sizeof(count));
      std::string_view line = key_of(record, &record);
      if (keep_.lines) {
        line = sized_at(record);
        record = line.data() + line.size();
      }
      BLOOMERY_RETURN_IF_ERROR(use(count, line));
    }
  }
  return {};
}

}  // namespace bloomery
