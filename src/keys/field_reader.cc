#include "keys/field_reader.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {
namespace {

// Splits a CSV record into its fields by RFC 4180, with any byte except the quote as the delimiter.
//
//   a,"b,c","say ""yes""",   ->   a | b,c | say "yes" | (empty)
//
// A record is one line. A line is malformed if a quote is open at its end, if a quote is inside a field that
// does not begin with one, or if text follows a closing quote. The entire line is checked, also after the
// last field that is needed: otherwise a record that continues on the next line would pass, and its rest
// would be read as a record. One fault is accepted there: quotes that are not doubled in a quoted field, as
// in the file names of NSRL lists ("5.25" label.doc"). Such a field ends at a quote before a delimiter or the
// line's end.

constexpr char kQuote = '"';
// docs/command.md shows how to convert such a file.
constexpr const char* kClosingQuote =
    "a closing quote (a quoted field may not go on in the next line; of such a file make JSON lines, one a "
    "record, and "
    "take --json-field)";

Error malformed(std::size_t field, const char* expected, const char* found) {
  return Error::invalid_argument("CSV field " + std::to_string(field),
                                 std::string("expected ") + expected + ", found " + found);
}

// Returns the first `character` from `at` on, or `end`.
const char* find(const char* at, const char* end, char character) {
  if (at == end) {
    return end;
  }
  const void* const found = std::memchr(at, character, static_cast<std::size_t>(end - at));
  return found == nullptr ? end : static_cast<const char*>(found);
}

// Splits a line without quotes. Stops at the last field that is needed.
void split_plain(std::string_view line, char delimiter, std::uint32_t most,
                 std::vector<std::string_view>& fields) {
  const char* const end = line.data() + line.size();
  for (const char* begin = line.data(); fields.size() < most;) {
    const char* const stop = find(begin, end, delimiter);
    fields.emplace_back(begin, static_cast<std::size_t>(stop - begin));
    if (stop == end) {
      return;
    }
    begin = stop + 1;
  }
}

// One quoted field: its text, and the rest of the line after its closing quote. `next` is null without a
// closing quote.
struct Quoted {
  std::string_view text;
  const char* next;
};

// Reads the field whose text begins at `begin`, after the opening quote. Appends to `decoded` only text with
// doubled quotes. Precondition: `decoded` has room for the entire line, so that views of it stay valid.
Quoted read_quoted(const char* begin, const char* end, std::string& decoded) {
  const std::size_t decoded_begin = decoded.size();
  bool has_doubled = false;
  for (const char* from = begin;;) {
    const char* const quote = find(from, end, kQuote);
    if (quote == end) {
      return {{}, nullptr};
    }
    const bool doubled = quote + 1 != end && quote[1] == kQuote;
    if (!doubled && !has_doubled) {
      return {{begin, static_cast<std::size_t>(quote - begin)}, quote + 1};
    }
    has_doubled = true;
    decoded.append(from, quote + (doubled ? 1 : 0));
    if (!doubled) {
      return {std::string_view(decoded).substr(decoded_begin), quote + 1};
    }
    from = quote + 2;
  }
}

// Finds the end of a quoted field that contains quotes that are not doubled: after the first quote from `at`
// on that precedes a delimiter or the end of the line. Returns null if there is none.
const char* end_of_loose(const char* at, const char* end, char delimiter) {
  for (const char* quote = find(at, end, kQuote); quote != end; quote = find(quote + 1, end, kQuote)) {
    if (quote + 1 == end || quote[1] == delimiter) {
      return quote + 1;
    }
  }
  return nullptr;
}

// Sets `fields` to the first `most` fields of `line`, or to all if it has fewer. They are views of the
// line, or of `decoded` if they had doubled quotes. Errors: kInvalidArgument for a malformed line,
// naming the field.
Status split_csv(std::string_view line, char delimiter, std::uint32_t most, std::string& decoded,
                 std::vector<std::string_view>& fields) {
  fields.clear();
  const char* const end = line.data() + line.size();
  if (find(line.data(), end, kQuote) == end) {
    split_plain(line, delimiter, most, fields);
    return {};
  }
  decoded.clear();
  decoded.reserve(line.size());
  std::size_t number = 0;
  for (const char* begin = line.data();;) {
    ++number;
    std::string_view text;
    const char* next = begin;
    if (begin != end && *begin == kQuote) {
      const Quoted quoted = read_quoted(begin + 1, end, decoded);
      if (quoted.next == nullptr) {
        return malformed(number, kClosingQuote, "the end of the line");
      }
      text = quoted.text;
      next = quoted.next;
      if (next != end && *next != delimiter) {
        if (number <= most) {
          return malformed(number, "a delimiter behind the closing quote", "other text");
        }
        next = end_of_loose(next, end, delimiter);
        if (next == nullptr) {
          return malformed(number, kClosingQuote, "the end of the line");
        }
      }
    } else {
      while (next != end && *next != delimiter && *next != kQuote) {
        ++next;
      }
      if (next != end && *next == kQuote) {
        return malformed(number, "quotes around the whole field", "one inside it");
      }
      text = {begin, static_cast<std::size_t>(next - begin)};
    }
    if (number <= most) {
      fields.push_back(text);
    }
    if (next == end) {
      return {};
    }
    begin = next + 1;
  }
}

void split_at(std::string_view line, char delimiter, std::uint32_t most, std::vector<std::string_view>& all) {
  all.clear();
  for (std::string_view rest = line; all.size() < most;) {
    const std::size_t end = rest.find(delimiter);
    all.push_back(rest.substr(0, end));
    if (end == std::string_view::npos) {
      return;
    }
    rest.remove_prefix(end + 1);
  }
}

bool is_blank(char character) {
  return character == ' ' || character == '\t';
}

void split_at_blanks(std::string_view line, std::uint32_t most, std::vector<std::string_view>& all) {
  all.clear();
  for (std::size_t begin = 0; all.size() < most;) {
    while (begin < line.size() && is_blank(line[begin])) {
      ++begin;
    }
    if (begin == line.size()) {
      return;
    }
    std::size_t end = begin;
    while (end < line.size() && !is_blank(line[end])) {
      ++end;
    }
    all.push_back(line.substr(begin, end - begin));
    begin = end;
  }
}

}  // namespace

FieldReader::FieldReader(KeyPlace place) : place_(std::move(place)) {
  want(place_.fields);
  if (place_.split == Split::kJson) {
    json_.emplace(place_.json_path);
  }
}

void FieldReader::want(FieldList fields) {
  fields_ = std::move(fields);
  most_ = 0;
  for (const FieldRange& range : fields_) {
    most_ = std::max(most_, range.last);
  }
}

Status FieldReader::begin_file(std::string_view header) {
  want({{1, kToTheEnd}});
  BLOOMERY_RETURN_IF_ERROR(split(header));
  const auto found = std::ranges::find(all_, place_.column);
  const auto count = std::ranges::count(all_, place_.column);
  if (count != 1) {
    return Error::invalid_argument(
        "header", "expected one column '" + place_.column + "', found " +
                      (count == 0 ? "none: the columns are " + joined(all_, ',') : std::to_string(count)));
  }
  const auto number = static_cast<std::uint32_t>(found - all_.begin() + 1);
  want({{number, number}});
  return {};
}

std::string_view FieldReader::without_line_end(std::string_view line) const {
  const bool has_cr = (place_.crlf || place_.split == Split::kCsv) && line.ends_with('\r');
  return line.substr(0, line.size() - (has_cr ? 1 : 0));
}

Status FieldReader::split(std::string_view line) {
  line = without_line_end(line);
  switch (place_.split) {
    case Split::kCsv:
      return split_csv(line, place_.delimiter, most_, decoded_, all_);
    case Split::kBlanks:
      split_at_blanks(line, most_, all_);
      return {};
    default:
      split_at(line, place_.delimiter, most_, all_);
      return {};
  }
}

Result<bool> FieldReader::select(std::string_view line, std::vector<std::string_view>& parts) {
  if (json_) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::optional<std::string_view> value, json_->find(line));
    parts.assign(1, value.value_or(std::string_view()));
    return value.has_value();
  }
  if (!place_.has_fields()) {
    parts.assign(1, without_line_end(line));
    return true;
  }
  if (fields_.empty()) {
    return Error::invalid_argument("header", "expected a line with the names of the columns, found none");
  }
  BLOOMERY_RETURN_IF_ERROR(split(line));
  return pick(parts);
}

bool FieldReader::pick(std::vector<std::string_view>& parts) const {
  bool has_all = true;
  parts.clear();
  for (const FieldRange& range : fields_) {
    const std::size_t last =
        range.last == kToTheEnd ? std::max<std::size_t>(all_.size(), range.first - 1) : range.last;
    has_all = has_all && all_.size() >= (range.last == kToTheEnd ? range.first : range.last);
    for (std::size_t number = range.first; number <= last; ++number) {
      parts.push_back(number <= all_.size() ? all_[number - 1] : std::string_view());
    }
  }
  return has_all;
}

std::string FieldReader::describe() const {
  if (place_.split == Split::kJson) {
    std::string path;
    for (const std::string& step : place_.json_path) {
      path += (path.empty() ? "" : ".") + step;
    }
    return "JSON field '" + path + "'";
  }
  if (place_.has_header()) {
    return "column '" + place_.column + "'";
  }
  return most_ == kToTheEnd ? "the fields" : "field " + std::to_string(most_);
}

std::string joined(const std::vector<std::string_view>& parts, char delimiter) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += i == 0 ? "" : std::string(1, delimiter);
    text += parts[i];
  }
  return text;
}

}  // namespace bloomery
