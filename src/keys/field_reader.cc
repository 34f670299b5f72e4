#include "keys/field_reader.h"

#include <algorithm>
#include <utility>

#include "keys/csv_fields.h"

namespace bloomery {
namespace {

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
