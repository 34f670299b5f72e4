// The parts of a compressed log's entry: words instead of texts, and compressed values.
//
//   word    ff | varint length | bytes: a new word, which goes into the dictionary; or u16 index
//   cell    varint key length | varint value length | varint tags length | row | family | qualifier (words) |
//           i64 timestamp | u8 type | value | tags
//   value   the bytes; or, compressed, varint stored length | data, even if the value is empty
//   tags    the bytes; or, compressed, a word for each tag: its type and its bytes
//
// A log must be read from its beginning, since each entry adds words. Each compressed value is complete in
// itself: a gzip member, or Hadoop's frames. Source: docs/formats/hbase-wal.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/hfile_choices.h"
#include "wal/byte_arena.h"
#include "wal/entry_bytes.h"
#include "wal/log_entry.h"
#include "wal/log_header.h"
#include "wal/word_dictionary.h"

namespace bloomery::wal {

// A file of recovered.edits has the edits of one region, so two of its dictionaries have one word.
enum class LogKind { kServerLog, kRecoveredEdits };

class CompressedEntry {
 public:
  CompressedEntry(const LogHeader& header, LogKind kind, const std::shared_ptr<MemoryBudget>& budget);

  // Frees what the entry before needed.
  void start();
  // Replaces the words in the key by their texts. Returns nullptr, or what was expected. `in` holds an error
  // of memory.
  const char* read_key_words(LogEntry& entry, EntryBytes& in);
  // Reads a cell as views. Returns nullptr, or what was expected where `in` failed.
  const char* read_cell(EntryBytes& in, Cell& cell);

 private:
  bool read_word(EntryBytes& in, WordDictionary& words, std::string_view& word);
  bool replace_word(EntryBytes& in, WordDictionary& words, std::string_view& word);
  bool read_value(EntryBytes& in, std::uint32_t size, std::string_view& value);
  bool read_tags(EntryBytes& in, std::uint32_t size, std::string_view& tags);
  bool add(EntryBytes& in, WordDictionary& words, std::string_view word);

  bool has_compressed_tags_;
  std::optional<hfile::Compression> values_;
  WordDictionary regions_;
  WordDictionary tables_;
  WordDictionary rows_;
  WordDictionary families_;
  WordDictionary qualifiers_;
  WordDictionary tag_words_;
  ByteArena arena_;
};

}  // namespace bloomery::wal
