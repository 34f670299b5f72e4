#include "keys/key_maker.h"

#include <cassert>
#include <string>
#include <utility>

namespace bloomery {

KeyMaker::KeyMaker(const KeyTreatment& treatment, KeyPlace place)
    : treatment_(treatment), place_(std::move(place)) {
  assert(treatment_.parts == part_count(place_.fields));
  line_is_key_ = treatment_ == KeyTreatment{} && place_.fields.empty() && !place_.crlf;
}

Status KeyMaker::append(KeyWriter& writer, std::string_view line) {
  if (place_.crlf && line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  if (place_.fields.empty()) {
    return append_formed(writer, line, treatment_);
  }
  select_fields(line, place_.delimiter, place_.fields, parts_);
  if (treatment_.parts == 1) {
    return append_formed(writer, parts_.front(), treatment_);
  }
  for (const std::string_view part : parts_) {
    const std::size_t start = writer.begin_part();
    BLOOMERY_RETURN_IF_ERROR(append_formed(writer, part, treatment_));
    writer.end_part(start);
  }
  return {};
}

Status KeyMaker::make(std::span<const std::string_view> lines, std::uint64_t first_line,
                      std::vector<std::string_view>& keys) {
  keys.assign(lines.begin(), lines.end());
  if (line_is_key_) {
    return {};
  }
  writer_.clear();
  ends_.clear();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const Status status = append(writer_, lines[i]); !status) {
      return of_line(status.error(), first_line + i);
    }
    ends_.push_back(writer_.bytes().size());
  }
  const std::string_view all(reinterpret_cast<const char*>(writer_.bytes().data()), writer_.bytes().size());
  std::size_t start = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    keys[i] = all.substr(start, ends_[i] - start);
    start = ends_[i];
  }
  return {};
}

Error KeyMaker::of_line(const Error& error, std::uint64_t line) {
  return error.in_file("line " + std::to_string(line));
}

}  // namespace bloomery
