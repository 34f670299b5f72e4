#include "codec/cassandra/key_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/endian.h"
#include "base/message.h"
#include "codec/cassandra/scalar_text.h"
#include "codec/cassandra/value_order.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostKeyBytes = 65'535;

void append_big32(std::string& out, std::uint32_t value) {
  std::byte bytes[4];
  store_big(bytes, value);
  out.append(reinterpret_cast<const char*>(bytes), sizeof(bytes));
}

void append_sized(std::string& out, std::string_view bytes) {
  append_big32(out, static_cast<std::uint32_t>(bytes.size()));
  out += bytes;
}

bool is_collection(CassandraKind kind) {
  return kind >= CassandraKind::kList;
}

// Reads the literal of one collection from beginning to end.
class LiteralReader {
 public:
  LiteralReader(const CassandraType& type, std::string_view text) : whole_(type), text_(text) {}

  Status read_all(std::string& out) {
    BLOOMERY_RETURN_IF_ERROR(append_value(out, whole_));
    skip_blanks();
    return at_ == text_.size() ? Status() : Status(unexpected("the end"));
  }

 private:
  Status append_value(std::string& out, const CassandraType& type) {
    skip_blanks();
    switch (type.kind) {
      case CassandraKind::kList:
        return append_elements(out, type, '[', ']');
      case CassandraKind::kSet:
        return append_elements(out, type, '{', '}');
      case CassandraKind::kMap:
        return append_map(out, type);
      case CassandraKind::kTuple:
        return append_tuple(out, type);
      case CassandraKind::kUserType:
        return append_fields(out, type);
      default:
        return append_scalar(out, type);
    }
  }

  Status append_elements(std::string& out, const CassandraType& type, char open, char close) {
    BLOOMERY_RETURN_IF_ERROR(expect(open));
    std::vector<std::string> elements;
    while (!take(close)) {
      BLOOMERY_RETURN_IF_ERROR(elements.empty() ? Status() : expect(','));
      elements.emplace_back();
      BLOOMERY_RETURN_IF_ERROR(append_value(elements.back(), type.arguments.front()));
    }
    if (type.kind == CassandraKind::kSet) {
      BLOOMERY_RETURN_IF_ERROR(check_order(type.arguments.front(), elements.size()));
      const CassandraKind kind = type.arguments.front().kind;
      std::ranges::sort(elements, [kind](const auto& a, const auto& b) { return is_before(kind, a, b); });
      elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    }
    append_big32(out, static_cast<std::uint32_t>(elements.size()));
    for (const std::string& element : elements) {
      append_sized(out, element);
    }
    return {};
  }

  Status append_map(std::string& out, const CassandraType& type) {
    using Entry = std::pair<std::string, std::string>;
    BLOOMERY_RETURN_IF_ERROR(expect('{'));
    std::vector<Entry> entries;
    while (!take('}')) {
      BLOOMERY_RETURN_IF_ERROR(entries.empty() ? Status() : expect(','));
      entries.emplace_back();
      BLOOMERY_RETURN_IF_ERROR(append_value(entries.back().first, type.arguments[0]));
      BLOOMERY_RETURN_IF_ERROR(expect(':'));
      BLOOMERY_RETURN_IF_ERROR(append_value(entries.back().second, type.arguments[1]));
    }
    BLOOMERY_RETURN_IF_ERROR(check_order(type.arguments.front(), entries.size()));
    const CassandraKind kind = type.arguments.front().kind;
    std::ranges::sort(entries,
                      [kind](const Entry& a, const Entry& b) { return is_before(kind, a.first, b.first); });
    if (std::ranges::adjacent_find(entries, {}, &Entry::first) != entries.end()) {
      return not_of_cassandra_type(whole_, "every key of a map once", text_);
    }
    append_big32(out, static_cast<std::uint32_t>(entries.size()));
    for (const Entry& entry : entries) {
      append_sized(out, entry.first);
      append_sized(out, entry.second);
    }
    return {};
  }

  Status append_tuple(std::string& out, const CassandraType& type) {
    BLOOMERY_RETURN_IF_ERROR(expect('('));
    for (std::size_t i = 0; i < type.arguments.size(); ++i) {
      BLOOMERY_RETURN_IF_ERROR(i == 0 ? Status() : expect(','));
      BLOOMERY_RETURN_IF_ERROR(append_field(out, type.arguments[i]));
    }
    return expect(')');
  }

  // The fields may appear in any order. A missing field is null.
  Status append_fields(std::string& out, const CassandraType& type) {
    BLOOMERY_RETURN_IF_ERROR(expect('{'));
    std::vector<std::optional<std::string>> values(type.fields.size());
    for (bool first = true; !take('}'); first = false) {
      BLOOMERY_RETURN_IF_ERROR(first ? Status() : expect(','));
      skip_blanks();
      const std::string_view name = take_word();
      const auto field = std::ranges::find(type.fields, name);
      if (field == type.fields.end()) {
        return unexpected("the name of a field");
      }
      const auto index = static_cast<std::size_t>(field - type.fields.begin());
      if (values[index]) {
        return unexpected("every field once");
      }
      BLOOMERY_RETURN_IF_ERROR(expect(':'));
      BLOOMERY_RETURN_IF_ERROR(append_field(values[index].emplace(), type.arguments[index]));
    }
    for (const std::optional<std::string>& value : values) {
      if (value) {
        out += *value;
      } else {
        append_big32(out, ~0U);
      }
    }
    return {};
  }

  // Appends a field with its length, or the marker of null.
  Status append_field(std::string& out, const CassandraType& type) {
    skip_blanks();
    if (const std::size_t begin = at_; take_word() == "null") {
      append_big32(out, ~0U);
      return {};
    } else {
      at_ = begin;
    }
    std::string value;
    BLOOMERY_RETURN_IF_ERROR(append_value(value, type));
    append_sized(out, value);
    return {};
  }

  Status append_scalar(std::string& out, const CassandraType& type) {
    if (at_ < text_.size() && text_[at_] == '\'') {
      BLOOMERY_ASSIGN_OR_RETURN(const std::string quoted, take_quoted());
      return append_cassandra_scalar(out, type.kind, quoted);
    }
    if (type.kind == CassandraKind::kText || type.kind == CassandraKind::kAscii) {
      return unexpected("a text in single quotes");
    }
    const std::string_view word = take_word();
    return word.empty() ? Status(unexpected("a value")) : append_cassandra_scalar(out, type.kind, word);
  }

  // Inside the text, a quote is doubled.
  Result<std::string> take_quoted() {
    std::string text;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\'') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '\'') {
          ++at_;
          return text;
        }
        ++at_;
      }
      text += text_[at_];
    }
    return unexpected("a quote");
  }

  // Reads a number, a UUID, a blob, true, false, null or the name of a field.
  std::string_view take_word() {
    const std::size_t begin = at_;
    const auto is_of_word = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
             c == '.' || c == '+' || c == '-';
    };
    while (at_ < text_.size() && is_of_word(text_[at_])) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  bool take(char character) {
    skip_blanks();
    const bool there = at_ < text_.size() && text_[at_] == character;
    at_ += there ? 1 : 0;
    return there;
  }
  Status expect(char character) {
    return take(character) ? Status() : Status(unexpected(std::string("'") + character + "'"));
  }
  Status check_order(const CassandraType& type, std::size_t count) const {
    return count < 2 || has_order(type.kind)
               ? Status()
               : Status(not_of_cassandra_type(
                     whole_, "at most one " + describe(type) + ", whose order is not known here", text_));
  }
  Error unexpected(const std::string& expected) const {
    return not_of_cassandra_type(whole_, message(expected, " at character ", at_ + 1), text_);
  }

  const CassandraType& whole_;
  std::string_view text_;
  std::size_t at_ = 0;
};

Status append_column(std::string& out, const CassandraType& type, std::string_view text) {
  return is_collection(type.kind) ? LiteralReader(type, text).read_all(out)
                                  : append_cassandra_scalar(out, type.kind, text);
}

Error of_wrong_size(const CassandraKeyType& type, const char* expected, std::size_t found) {
  return Error::invalid_argument("cassandra key " + describe(type),
                                 message("expected ", expected, ", found ", found, " bytes"));
}

}  // namespace

Status append_cassandra_key(KeyWriter& writer, const CassandraKeyType& type,
                            std::span<const std::string_view> columns) {
  if (columns.size() != type.columns.size()) {
    return Error::invalid_argument(
        "cassandra key " + describe(type),
        message("expected a text for each of ", type.columns.size(), " columns, found ", columns.size()));
  }
  std::string key;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::string value;
    BLOOMERY_RETURN_IF_ERROR(append_column(value, type.columns[i], columns[i]));
    if (value.size() > kMostKeyBytes) {
      return of_wrong_size(type, "at most 65535 bytes", value.size());
    }
    if (type.composite) {
      key += {static_cast<char>(value.size() >> 8), static_cast<char>(value.size() & 0xff)};
    }
    key += value;
    if (type.composite) {
      key += '\0';
    }
  }
  if (key.empty() || key.size() > kMostKeyBytes) {
    return of_wrong_size(type, "1 to 65535 bytes, as Cassandra does", key.size());
  }
  append_key(writer, std::string_view(key));
  return {};
}

}  // namespace bloomery
