#include "keys/key_hasher.h"

#include <cassert>
#include <string>
#include <utility>

namespace bloomery {

KeyHasher::KeyHasher(const HashSpec& hash, const KeyTreatment& treatment, KeyPlace place)
    : hash_(hash), treatment_(treatment), place_(std::move(place)) {
  assert(treatment_.parts == part_count(place_.fields));
  line_is_key_ = treatment_ == KeyTreatment{} && place_.fields.empty() && !place_.crlf;
}

Status KeyHasher::hash(std::span<const std::string_view> lines, std::uint64_t first_line,
                       std::vector<Hash128>& hashes) {
  hashes.resize(lines.size());
  if (line_is_key_) {
    hash_batch(lines, hash_, hashes);
    return {};
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const Status status = write_key(lines[i]); !status) {
      return status.error().in_file("line " + std::to_string(first_line + i));
    }
    hashes[i] = hash_bytes(writer_.bytes(), hash_);
  }
  return {};
}

Status KeyHasher::write_key(std::string_view line) {
  writer_.clear();
  if (place_.crlf && line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  if (place_.fields.empty()) {
    return append_formed(writer_, line, treatment_);
  }
  select_fields(line, place_.delimiter, place_.fields, parts_);
  if (treatment_.parts == 1) {
    return append_formed(writer_, parts_.front(), treatment_);
  }
  for (const std::string_view part : parts_) {
    const std::size_t start = writer_.begin_part();
    BLOOMERY_RETURN_IF_ERROR(append_formed(writer_, part, treatment_));
    writer_.end_part(start);
  }
  return {};
}

}  // namespace bloomery
