#include "table/layout/attributes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/byte_text.h"
#include "base/message.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/hfile_choices.h"
#include "hash/ascii_text.h"
#include "table/layout/readable_amount.h"

namespace bloomery::table {
namespace {

constexpr std::int64_t kMostInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostLong = std::numeric_limits<std::int64_t>::max();

enum class AttributeForm { kNumber, kSeconds, kBytes, kTruth, kWord };

struct AttributeRule {
  std::string_view name;
  AttributeForm form = AttributeForm::kTruth;
  std::int64_t least = 0;  // of an amount
  std::int64_t most = 0;
  std::vector<std::string> words = {};     // in the order of messages
  std::vector<std::string> not_ours = {};  // words and truth values that HBase has
  bool is_configuration = false;
};

using Rules = std::vector<AttributeRule>;

std::vector<std::string> filter_words() {
  auto words = hfile::bloom_type_names();
  words.emplace_back("AUTO");
  return words;
}

const Rules& family_rules() {
  using enum AttributeForm;
  static const Rules rules = {
      {.name = "VERSIONS", .form = kNumber, .least = 1, .most = kMostInt},
      {.name = "MIN_VERSIONS", .form = kNumber, .least = 0, .most = kMostInt},
      {.name = "TTL", .form = kSeconds, .least = 1, .most = kMostInt},
      {.name = "KEEP_DELETED_CELLS", .form = kWord, .words = {"FALSE", "TRUE", "TTL"}},
      {.name = "BLOOMFILTER", .form = kWord, .words = filter_words()},
      {.name = kAutoFilter, .form = kWord, .words = {"AUTO"}},
      {.name = "RowPrefixBloomFilter.prefix_length",
       .form = kNumber,
       .least = 1,
       .most = static_cast<std::int64_t>(kLongestRow),
       .is_configuration = true},
      {.name = kMajorCompaction, .form = kNumber, .least = 0, .most = kMostLong, .is_configuration = true},
      {.name = "COMPRESSION",
       .form = kWord,
       .words = hfile::compression_names(),
       .not_ours = {"LZO", "BZIP2", "LZMA", "BROTLI"}},
      {.name = "DATA_BLOCK_ENCODING", .form = kWord, .words = hfile::data_encoding_names()},
      {.name = "BLOCKSIZE", .form = kBytes, .least = 1024, .most = 16 << 20},
      {.name = "IN_MEMORY"},
      {.name = "BLOCKCACHE"},
      {.name = "CACHE_DATA_ON_WRITE"},
      {.name = "CACHE_INDEX_ON_WRITE"},
      {.name = "CACHE_BLOOMS_ON_WRITE"},
      {.name = "EVICT_BLOCKS_ON_CLOSE"},
      {.name = "PREFETCH_BLOCKS_ON_OPEN"},
      {.name = "COMPRESS_TAGS"},
      {.name = "REPLICATION_SCOPE", .form = kWord, .words = {"0"}, .not_ours = {"1"}},
      {.name = "INDEX_BLOCK_ENCODING", .form = kWord, .words = {"NONE"}, .not_ours = {"PREFIX_TREE"}},
      {.name = "NEW_VERSION_BEHAVIOR", .not_ours = {"true"}},
      {.name = "IS_MOB", .not_ours = {"true"}},
  };
  return rules;
}

const Rules& table_rules() {
  using enum AttributeForm;
  static const Rules rules = {
      {.name = "READONLY"},
      {.name = "COMPACTION_ENABLED"},
      {.name = "DURABILITY",
       .form = kWord,
       .words = {"USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL", "SYNC_WAL", "FSYNC_WAL"}},
      {.name = "MAX_FILESIZE", .form = kBytes, .least = 2 << 20, .most = kMostLong},
      {.name = "MEMSTORE_FLUSHSIZE", .form = kBytes, .least = 1 << 20, .most = kMostLong},
      {.name = kMajorCompaction, .form = kNumber, .least = 0, .most = kMostLong},
      {.name = "IS_META", .not_ours = {"true"}},
      {.name = "hbase.store.file-tracker.impl",
       .form = kWord,
       .words = {"FILE"},
       .not_ours = {"DEFAULT", "MIGRATION"}},
  };
  return rules;
}

bool is_same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower_ascii, lower_ascii);
}

// Returns the word as it is in the list, or nothing.
std::optional<std::string> word_in(const std::vector<std::string>& words, std::string_view word) {
  const auto found =
      std::ranges::find_if(words, [&](const std::string& each) { return is_same_word(each, word); });
  return found == words.end() ? std::nullopt : std::optional(*found);
}

std::string any_of(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return text;
}

std::vector<std::string> names_of(const Rules& rules) {
  std::vector<std::string> names;
  for (const AttributeRule& each : rules) {
    names.emplace_back(each.name);
  }
  return names;
}

std::optional<std::int64_t> parse_form(const AttributeRule& rule, std::string_view value) {
  switch (rule.form) {
    case AttributeForm::kSeconds:
      return is_same_word(value, "FOREVER") ? kMostInt : parse_seconds(value);
    case AttributeForm::kBytes:
      return parse_bytes(value);
    default:
      return number_from_text<std::int64_t>(value);
  }
}

std::string expected_amount(const AttributeRule& rule) {
  const char* const unit = rule.form == AttributeForm::kSeconds
                               ? " seconds, such as 86400 or 1 DAY, or FOREVER"
                           : rule.form == AttributeForm::kBytes ? " bytes, such as 65536 or 64KB"
                                                                : "";
  return rule.most == kMostLong ? message("at least ", rule.least, unit)
                                : message(rule.least, " to ", rule.most, unit);
}

Result<std::string> parse_value(const AttributeRule& rule, std::string_view value) {
  const std::string name(rule.name);
  if (word_in(rule.not_ours, value)) {
    return Error(ErrorCode::kUnsupported, name, message("the value ", value, " is not supported"));
  }
  std::string expected;
  if (rule.form == AttributeForm::kWord || rule.form == AttributeForm::kTruth) {
    static const std::vector<std::string> truths = {"true", "false"};
    const std::vector<std::string>& words = rule.form == AttributeForm::kWord ? rule.words : truths;
    if (auto word = word_in(words, value)) {
      return std::move(*word);
    }
    expected = any_of(words);
  } else {
    const auto amount = parse_form(rule, value);
    if (amount && *amount >= rule.least && *amount <= rule.most) {
      return std::to_string(*amount);
    }
    expected = expected_amount(rule);
  }
  return Error::invalid_argument(
      name, message("expected ", expected, ", found '", escape_bytes(value.substr(0, 140)), "'"));
}

Result<Attribute> parse_attribute(const Rules& rules, const char* of, std::string_view name,
                                  std::string_view value) {
  const auto rule =
      std::ranges::find_if(rules, [&](const AttributeRule& each) { return is_same_word(each.name, name); });
  if (rule == rules.end()) {
    return Error::invalid_argument(
        "attribute", message("expected one of a ", of, ", ", any_of(names_of(rules)), ", found '",
                             escape_bytes(name.substr(0, 140)), "'"));
  }
  BLOOMERY_ASSIGN_OR_RETURN(std::string text, parse_value(*rule, value));
  return Attribute{std::string(rule->name), std::move(text), rule->is_configuration};
}

}  // namespace

Result<Attribute> parse_family_attribute(std::string_view name, std::string_view value) {
  auto attribute = parse_attribute(family_rules(), "family", name, value);
  if (attribute && attribute->name == "BLOOMFILTER" && attribute->value == "AUTO") {
    attribute->name = kAutoFilter;
  }
  return attribute;
}

Result<Attribute> parse_table_attribute(std::string_view name, std::string_view value) {
  return parse_attribute(table_rules(), "table", name, value);
}

const SettingMap& default_family_attributes() {
  static const SettingMap defaults = {
      {"BLOCKCACHE", "true"},  {"BLOCKSIZE", "65536"},          {"BLOOMFILTER", "ROW"},
      {"COMPRESSION", "NONE"}, {"DATA_BLOCK_ENCODING", "NONE"}, {"INDEX_BLOCK_ENCODING", "NONE"},
      {"IN_MEMORY", "false"},  {"KEEP_DELETED_CELLS", "FALSE"}, {"MIN_VERSIONS", "0"},
      {"TTL", "2147483647"},   {"REPLICATION_SCOPE", "0"},      {"VERSIONS", "1"}};
  return defaults;
}

const SettingMap& default_table_attributes() {
  static const SettingMap defaults = {{"IS_META", "false"}, {"hbase.store.file-tracker.impl", "FILE"}};
  return defaults;
}

std::vector<std::string> names_of_family_attributes() {
  return names_of(family_rules());
}

std::vector<std::string> names_of_table_attributes() {
  return names_of(table_rules());
}

}  // namespace bloomery::table
