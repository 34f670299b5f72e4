#include "keys/key_maker.h"

#include <cassert>
#include <string>
#include <utility>

#include "hash/ascii_text.h"

namespace bloomery {

KeyMaker::KeyMaker(const KeyTreatment& treatment, KeyPlace place)
    : treatment_(treatment), place_(std::move(place)) {
  assert(treatment_.parts == part_count(place_.fields));
  assert(place_.digest == Digest::kNone || treatment_.form == KeyForm::kHex);
  line_is_key_ = treatment_ == KeyTreatment{} && place_.fields.empty() && !place_.crlf;
  if (treatment_.form == KeyForm::kUrl) {
    urls_.emplace(treatment_.url, treatment_.ignore_case ? UrlCanonicalizer::Letters::kFolded
                                                         : UrlCanonicalizer::Letters::kAsTheyAre);
    treatment_.form = KeyForm::kText;  // the form of the canonical text, and of a text that is no URL
  }
}

Status KeyMaker::append_piece(KeyWriter& writer, std::string_view text) {
  if (place_.digest != Digest::kNone) {
    return append_digest(writer, text, place_.digest);
  }
  if (!urls_) {
    return append_formed(writer, text, treatment_);
  }
  const std::optional<std::string_view> canonical = urls_->canonical(treatment_.trim ? trimmed(text) : text);
  if (canonical) {
    append_key(writer, *canonical);
    return {};
  }
  all_urls_ = false;
  return append_formed(writer, text, treatment_);
}

Status KeyMaker::append(KeyWriter& writer, std::string_view line) {
  all_urls_ = true;
  BLOOMERY_RETURN_IF_ERROR(append_pieces(writer, line));
  lines_without_url_ += all_urls_ ? 0 : 1;
  return {};
}

Status KeyMaker::append_pieces(KeyWriter& writer, std::string_view line) {
  if (place_.crlf && line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  if (place_.fields.empty()) {
    return append_piece(writer, line);
  }
  select_fields(line, place_.delimiter, place_.fields, parts_);
  if (treatment_.parts == 1) {
    return append_piece(writer, parts_.front());
  }
  for (const std::string_view part : parts_) {
    const std::size_t start = writer.begin_part();
    BLOOMERY_RETURN_IF_ERROR(append_piece(writer, part));
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
  Status made;
  for (const std::string_view line : lines) {
    if (const Status appended = append(writer_, line); !appended) {
      made = of_line(appended.error(), first_line + ends_.size());
      break;
    }
    ends_.push_back(writer_.bytes().size());
  }
  keys.resize(ends_.size());
  const std::string_view all(reinterpret_cast<const char*>(writer_.bytes().data()), writer_.bytes().size());
  std::size_t start = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = all.substr(start, ends_[i] - start);
    start = ends_[i];
  }
  return made;
}

Error KeyMaker::of_line(const Error& error, std::uint64_t line) {
  return error.in_file("line " + std::to_string(line));
}

}  // namespace bloomery
