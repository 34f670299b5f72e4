#include "wal/compressed_entry.h"

#include "bloomery/hfile/tag.h"
#include "hfile/compression.h"
#include "hfile/flat_key.h"
#include "wal/plain_cell.h"

namespace bloomery::wal {
namespace {

constexpr std::size_t kMostWords = 32767;
constexpr std::size_t kMostFamilies = 127;
constexpr std::uint8_t kNewWord = 0xff;

}  // namespace

CompressedEntry::CompressedEntry(const LogHeader& header, LogKind kind,
                                 const std::shared_ptr<MemoryBudget>& budget)
    : has_compressed_tags_(header.has_compressed_tags.value_or(false)),
      values_(header.has_compressed_values.value_or(false) ? header.value_compression : std::nullopt),
      regions_(kind == LogKind::kServerLog ? kMostWords : 1, budget),
      tables_(kind == LogKind::kServerLog ? kMostWords : 1, budget),
      rows_(kMostWords, budget),
      families_(kMostFamilies, budget),
      qualifiers_(kMostFamilies, budget),
      tag_words_(kMostWords, budget),
      arena_(budget) {}

void CompressedEntry::start() {
  for (WordDictionary* const words : {&regions_, &tables_, &rows_, &families_, &qualifiers_, &tag_words_}) {
    words->forget_replaced();
  }
  arena_.clear();
}

bool CompressedEntry::add(EntryBytes& in, WordDictionary& words, std::string_view word) {
  if (const Status added = words.add(word); !added) {
    in.fail_with(added);
    return false;
  }
  return true;
}

bool CompressedEntry::read_word(EntryBytes& in, WordDictionary& words, std::string_view& word) {
  const std::uint8_t first = in.number<std::uint8_t>();
  if (first == kNewWord) {
    word = in.bytes(in.length());
    return !in.failed() && add(in, words, word);
  }
  const std::size_t index = std::size_t{first} << 8 | in.number<std::uint8_t>();
  const auto found = in.failed() ? std::nullopt : words.find(index);
  if (!found) {
    in.fail();
    return false;
  }
  word = *found;
  return true;
}

// `word` holds the bytes of one word, and then its text.
bool CompressedEntry::replace_word(EntryBytes& in, WordDictionary& words, std::string_view& word) {
  const auto bytes = std::as_bytes(std::span(word));
  if (bytes.size() == 2 && bytes[0] != std::byte{kNewWord}) {
    const auto found = words.find(load_big16(bytes.data()));
    word = found.value_or(word);
    return found.has_value();
  }
  if (bytes.empty() || bytes[0] != std::byte{kNewWord}) {
    return false;
  }
  const VarintGroups size = join_varint<5>(bytes.subspan(1));
  if (size.end != VarintEnd::kWhole || size.value != bytes.size() - 1 - size.size_bytes) {
    return false;
  }
  word = word.substr(1 + size.size_bytes);
  return add(in, words, word);
}

// The order is the writer's.
const char* CompressedEntry::read_key_words(LogEntry& entry, EntryBytes& in) {
  if (!replace_word(in, regions_, entry.region) || !replace_word(in, tables_, entry.table) ||
      entry.region.empty() || entry.table.empty()) {
    return "the word of a region and of a table";
  }
  for (FamilyScope& scope : entry.scopes) {
    if (!replace_word(in, families_, scope.family)) {
      return "the word of a family's scope";
    }
  }
  for (Attribute& attribute : entry.attributes) {
    if (!replace_word(in, tables_, attribute.value)) {
      return "the word of an attribute";
    }
  }
  return nullptr;
}

bool CompressedEntry::read_value(EntryBytes& in, std::uint32_t size, std::string_view& value) {
  if (!values_) {
    value = in.bytes(size);
    return !in.failed();
  }
  const std::string_view stored = in.bytes(in.length());
  value = {};
  if (in.failed() || size == 0) {
    return !in.failed();
  }
  if (*values_ == hfile::Compression::kNone) {
    value = stored;
    return stored.size() == size;
  }
  if (size > hfile::largest_payload(*values_, stored.size())) {
    return false;
  }
  const auto out = arena_.allocate(size);
  if (!out) {
    in.fail_with(out.error());
    return false;
  }
  value = {reinterpret_cast<const char*>(out->data()), size};
  return hfile::decompress_payload(*values_, std::as_bytes(std::span(stored)), *out).has_value();
}

bool CompressedEntry::read_tags(EntryBytes& in, std::uint32_t size, std::string_view& tags) {
  if (!has_compressed_tags_ || size == 0) {
    tags = in.bytes(size);
    return !in.failed() && has_whole_tags(tags);
  }
  const auto out = arena_.allocate(size);
  if (!out) {
    in.fail_with(out.error());
    return false;
  }
  CellBytes bytes(out->data());
  for (std::size_t left = size; left > 0;) {
    std::string_view word;
    if (!read_word(in, tag_words_, word) || word.empty() || left < kTagsLengthBytes + word.size()) {
      return false;
    }
    bytes.number(static_cast<std::uint16_t>(word.size()));
    bytes.bytes(word);
    left -= kTagsLengthBytes + word.size();
  }
  tags = {reinterpret_cast<const char*>(out->data()), size};
  return true;
}

const char* CompressedEntry::read_cell(EntryBytes& in, Cell& cell) {
  const std::uint32_t key_size = in.length();
  const std::uint32_t value_size = in.length();
  const std::uint32_t tags_size = in.length();
  CellKey& key = cell.key;
  if (in.failed() || tags_size > hfile::kMaxTagsBytes) {
    in.fail();
    return "the lengths of a compressed cell";
  }
  if (!read_word(in, rows_, key.row) || !read_word(in, families_, key.family) ||
      !read_word(in, qualifiers_, key.qualifier)) {
    return "the words of a compressed cell";
  }
  key.timestamp = static_cast<std::int64_t>(in.number<std::uint64_t>());
  key.type = static_cast<CellType>(in.number<std::uint8_t>());
  if (in.failed() || !hfile::is_known(key.type) || key.row.size() > hfile::kMaxRowBytes ||
      key.family.size() > hfile::kMaxFamilyBytes ||
      key.row.size() + key.family.size() + key.qualifier.size() + hfile::kKeyFixedBytes != key_size) {
    in.fail();
    return "the key of a compressed cell";
  }
  if (!read_value(in, value_size, cell.value)) {
    in.fail();
    return "the value of a compressed cell";
  }
  if (!read_tags(in, tags_size, cell.tags)) {
    in.fail();
    return "the tags of a compressed cell";
  }
  return nullptr;
}

}  // namespace bloomery::wal
