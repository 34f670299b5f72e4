#include "keys/key_maker.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "hash/ascii_text.h"

namespace bloomery {

KeyMaker::KeyMaker(const KeyTreatment& treatment, KeyPlace place, KeyPurpose purpose,
                   std::shared_ptr<const KeyType> type)
    : treatment_(treatment),
      formed_(treatment),
      fields_(std::move(place)),
      type_(std::move(type)),
      is_typed_(type_ != nullptr && treatment.form == KeyForm::kText) {
  assert(treatment_.parts == fields_.place().parts());
  assert(fields_.place().digest == Digest::kNone || treatment_.form == KeyForm::kHex);
  assert(!is_typed_ || type_->parts() == treatment_.parts);
  assert(type_ == nullptr || is_typed_ || type_->takes(treatment_.form));
  line_is_key_ = treatment_ == KeyTreatment{} && type_ == nullptr && !fields_.place().has_fields() &&
                 !fields_.place().crlf && fields_.place().comments.empty();
  if (is_block_list(treatment_.form)) {
    block_list_.emplace(treatment_, fields_.place().entries, purpose);
  }
}

// Appends the key that type_ makes of parts_.
Status KeyMaker::append_typed(KeyWriter& writer) {
  if (treatment_.trim) {
    std::ranges::transform(parts_, parts_.begin(), trimmed);
  }
  if (!treatment_.ignore_case) {
    return type_->append(writer, parts_);
  }
  std::vector<std::string> lower(parts_.size());
  std::ranges::transform(parts_, lower.begin(), folded);
  return type_->append(writer, std::vector<std::string_view>(lower.begin(), lower.end()));
}

Status KeyMaker::append_piece(KeyWriter& writer, std::string_view text) {
  const std::size_t start = writer.bytes().size();
  BLOOMERY_RETURN_IF_ERROR(append_formed_piece(writer, text));
  return type_ == nullptr ? Status() : type_->check(writer.bytes().subspan(start));
}

Status KeyMaker::append_formed_piece(KeyWriter& writer, std::string_view text) {
  if (const Digest digest = fields_.place().digest; digest != Digest::kNone) {
    return append_digest(writer, text, digest);
  }
  if (block_list_) {
    return append_of_list(writer, text);
  }
  BLOOMERY_RETURN_IF_ERROR(formed_.append(writer, text));
  all_urls_ = all_urls_ && formed_.was_url();
  return {};
}

Status KeyMaker::append_of_list(KeyWriter& writer, std::string_view text) {
  if (asked_levels_) {
    question_ends_.clear();
    return block_list_->append_questions(writer, question_ends_, text, *asked_levels_);
  }
  BLOOMERY_RETURN_IF_ERROR(block_list_->append_entry(writer, text));
  tally_.too_deep += block_list_->lay_too_deep() ? 1U : 0U;
  return {};
}

Status KeyMaker::begin_file(std::string_view header) {
  return fields_.begin_file(header);
}

Result<bool> KeyMaker::append(KeyWriter& writer, std::string_view line) {
  if (is_comment(line, fields_.place().comments)) {
    ++tally_.comments;
    return false;
  }
  all_urls_ = true;
  const std::size_t start = writer.bytes().size();
  const Result<bool> appended = append_pieces(writer, line);
  if (!appended && fields_.place().bad == BadLine::kSkip) {
    ++tally_.bad;
    return false;
  }
  if (!appended || !*appended) {
    return appended;
  }
  ++tally_.taken;
  tally_.without_url += all_urls_ ? 0 : 1;
  if (treatment_.form == KeyForm::kHex && treatment_.parts == 1) {
    note_width(writer.bytes().size() - start);
  }
  if (fields_.place().has_fields()) {
    compare_with_first(writer.bytes().subspan(start));
  }
  return true;
}

void KeyMaker::note_width(std::size_t bytes) {
  if (bytes != 0) {
    width_ = !width_ || *width_ == bytes ? bytes : 0;
  }
}

Result<bool> KeyMaker::append_pieces(KeyWriter& writer, std::string_view line) {
  if (!fields_.place().has_fields()) {
    const std::string_view text = fields_.without_line_end(line);
    if (is_typed_) {
      parts_.assign(1, text);
      BLOOMERY_RETURN_IF_ERROR(append_typed(writer));
      return true;
    }
    BLOOMERY_RETURN_IF_ERROR(append_piece(writer, text));
    return true;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool wanted, select_parts(line));
  if (!wanted) {
    return false;
  }
  if (is_typed_) {
    BLOOMERY_RETURN_IF_ERROR(append_typed(writer));
    return true;
  }
  if (treatment_.parts == 1) {
    BLOOMERY_RETURN_IF_ERROR(append_piece(writer, parts_.front()));
    return true;
  }
  for (const std::string_view part : parts_) {
    const std::size_t start = writer.begin_part();
    BLOOMERY_RETURN_IF_ERROR(append_piece(writer, part));
    writer.end_part(start);
  }
  return true;
}

// Returns false for a line that is left out because it lacks a field.
Result<bool> KeyMaker::select_parts(std::string_view line) {
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_all, fields_.select(line, parts_));
  ++tally_.with_fields;
  if (has_all) {
    return true;
  }
  ++tally_.without_field;
  if (fields_.place().missing == MissingField::kError) {
    return Error::invalid_argument(fields_.describe(),
                                   "expected in every line, found a line without it (--missing "
                                   "skip leaves such lines out, --missing keep takes it as empty)");
  }
  return fields_.place().missing == MissingField::kKeep;
}

void KeyMaker::compare_with_first(std::span<const std::byte> key) {
  if (!first_key_) {
    first_key_.emplace(key.begin(), key.end());
  }
  tally_.like_first += std::ranges::equal(key, *first_key_) ? 1U : 0U;
}

Status KeyMaker::make(std::span<const std::string_view> lines, std::uint64_t first_line,
                      std::vector<std::string_view>& keys) {
  left_out_.clear();
  if (line_is_key_) {
    keys.assign(lines.begin(), lines.end());
    count_taken(lines.size());
    return {};
  }
  writer_.clear();
  extents_.clear();
  Status made;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t begin = writer_.bytes().size();
    const Result<bool> appended = append(writer_, lines[i]);
    if (!appended) {
      made = of_line(appended.error(), first_line + i);
      bad_line_ = i;
      break;
    }
    if (*appended) {
      extents_.push_back({begin, writer_.bytes().size()});
    } else {
      left_out_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  const std::string_view all(reinterpret_cast<const char*>(writer_.bytes().data()), writer_.bytes().size());
  keys.clear();
  for (const Extent& extent : extents_) {
    keys.push_back(all.substr(extent.begin, extent.end - extent.begin));
  }
  return made;
}

Status KeyMaker::make(LineBatch& batch, std::uint64_t first_line, std::vector<std::string_view>& keys) {
  if (batch.header) {
    if (const Status begun = begin_file(*batch.header); !begun) {
      keys.clear();
      return of_line(begun.error(), 1);
    }
  }
  const Status made = make(batch.lines, first_line, keys);
  batch.drop(left_out_);
  return made;
}

Error KeyMaker::of_line(const Error& error, std::uint64_t line) {
  return error.in_file("line " + std::to_string(line));
}

}  // namespace bloomery
