// Lines of anything through every way to find a field: never a crash, no field that is not of the line.
//
// The first byte chooses the way; a line feed ends the header line of the ways that have one.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keys/field_reader.h"

namespace {

using namespace bloomery;

void expect(bool holds) {
  if (!holds) {
    std::abort();
  }
}

KeyPlace place_of(unsigned way) {
  const FieldList fields = {{2, 3}, {1, 1}, {4, kToTheEnd}};
  switch (way % 6) {
    case 0:
      return {.fields = fields, .delimiter = ',', .crlf = way >= 128};
    case 1:
      return {.fields = fields, .split = Split::kBlanks};
    case 2:
      return {.fields = fields, .delimiter = ',', .split = Split::kCsv};
    case 3:
      return {.delimiter = ',', .split = Split::kCsv, .column = "a"};
    case 4:
      return {.split = Split::kJson, .json_path = {"a", "0"}};
    default:
      return {.split = Split::kJson, .json_path = {"a"}};
  }
}

// CSV fields take no more room than their line. Written as CSV again, they are read as the same fields.
void check_csv(FieldReader& reader, std::string_view line, const std::vector<std::string_view>& parts) {
  std::string again;
  std::size_t size = 0;
  const std::vector<std::string> before(parts.begin(), parts.end());
  for (const std::size_t index : {std::size_t{2}, std::size_t{0}, std::size_t{1}}) {
    size += before[index].size();
    again += again.empty() ? "\"" : ",\"";
    for (const char character : before[index]) {
      again += character == '"' ? "\"\"" : std::string(1, character);
    }
    again += '"';
  }
  expect(size <= line.size());
  std::vector<std::string_view> read;
  expect(reader.select(again, read).has_value());
  expect(read.size() == 3 && read[0] == before[0] && read[1] == before[1] && read[2] == before[2]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  FieldReader reader(place_of(data[0]));
  if (reader.place().has_header()) {
    const std::size_t end = text.find('\n');
    if (!reader.begin_file(text.substr(0, end)) || end == std::string_view::npos) {
      return 0;
    }
    text.remove_prefix(end + 1);
  }
  std::vector<std::string_view> parts;
  const Result<bool> selected = reader.select(text, parts);
  if (!selected) {
    return 0;
  }
  expect(reader.place().fields.empty() ? parts.size() == 1 : parts.size() >= 3);
  if (data[0] % 6 == 2) {
    check_csv(reader, text, parts);
  }
  return 0;
}
