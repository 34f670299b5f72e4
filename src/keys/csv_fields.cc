#include "keys/csv_fields.h"

#include <cstring>

namespace bloomery {
namespace {

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

}  // namespace

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

}  // namespace bloomery
