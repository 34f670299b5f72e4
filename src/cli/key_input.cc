#include "cli/key_input.h"

#include <vector>

#include <fmt/core.h>

#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "keys/field_reader.h"

namespace bloomery::cli {
namespace {

// With at least this many keys, it is suspicious if all are equal.
constexpr std::uint64_t kSuspiciouslyEqual = 1000;
// If more than this share of lines lacks the field, -k or -d is probably wrong.
constexpr double kSuspiciousShare = 0.01;

// Returns the probable cause if no line has the field.
const char* hint_for_fields(const KeyPlace& place) {
  return place.split == Split::kJson ? ": does the path fit?" : ": does the delimiter fit (-d, -w, --csv)?";
}

void tell_of_fields(std::string_view verb, const KeyTally& tally, const KeyPlace& place, Telling telling) {
  const bool skipped = place.missing == MissingField::kSkip;
  // With --missing error, the run ends with an error that names such a line, so no message is needed here.
  const bool refused = place.missing == MissingField::kError;
  const bool suspicious =
      static_cast<double>(tally.without_field) > kSuspiciousShare * static_cast<double>(tally.with_fields);
  if (tally.without_field != 0 && !refused && (suspicious || skipped || telling == Telling::kAll)) {
    const bool all = tally.without_field == tally.with_fields;
    warn(verb, fmt::format("{}{} of {} lines lack {} and were {}{}", suspicious ? "warning: " : "",
                           show_count(tally.without_field), show_count(tally.with_fields),
                           FieldReader(place).describe(), skipped ? "left out" : "taken with an empty field",
                           all ? hint_for_fields(place) : ""));
  }
  const std::uint64_t keys = tally.with_fields - (skipped ? tally.without_field : 0);
  if (tally.like_first >= kSuspiciouslyEqual && tally.like_first == keys) {
    warn(verb, fmt::format("warning: all {} keys are equal: do -k and the delimiter fit (-d, -w, --csv)?",
                           show_count(keys)));
  }
}

}  // namespace

void tell_of_keys(std::string_view verb, const KeyTally& tally, const KeyPlace& place, Telling telling) {
  tell_of_fields(verb, tally, place, telling);
  if (tally.bad != 0) {
    warn(verb, fmt::format("{} left out (--skip-bad-lines)",
                           tally.bad == 1 ? "1 bad line was" : show_count(tally.bad) + " bad lines were"));
  }
  if (tally.too_deep != 0) {
    warn(verb, fmt::format(
                   "warning: {} so deep that no longer URL asks for {}: below the third folder, or on a host "
                   "of more than five labels",
                   tally.too_deep == 1 ? "1 entry lies" : show_count(tally.too_deep) + " entries lie",
                   tally.too_deep == 1 ? "it" : "them"));
  }
  if (tally.without_url != 0 && telling == Telling::kAll) {
    warn(verb, tally.without_url == 1
                   ? "1 key is no URL and was taken as it is"
                   : show_count(tally.without_url) + " keys are no URLs and were taken as they are");
  }
}

void tell_of_input(std::string_view verb, const InputNotes& notes) {
  if (notes.dropped_mark) {
    warn(verb, "a byte-order mark at the beginning of the input was dropped");
  }
  if (notes.keys_have_cr) {
    warn(verb, "warning: lines end in CR LF, and the CR is part of the key: --crlf takes it off");
  }
}

Status read_line_batches(const std::string& verb, InputFiles& input,
                         const std::function<Result<bool>(LineBatch&)>& use) {
  Progress progress(verb);
  if (input.is_typed()) {
    progress.hide();
  }
  LineBatch batch;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, input.next(batch));
    if (!more) {
      return {};
    }
    BLOOMERY_ASSIGN_OR_RETURN(const bool wanted, use(batch));
    if (!wanted) {
      return {};
    }
    if (progress.is_shown()) {
      progress.update(input.lines_read(), input.bytes_read(), input.total_bytes());
    }
  }
}

Status for_each_line_batch(const std::string& verb, InputFiles& input,
                           const std::function<Result<bool>(LineBatch&)>& use) {
  const Status read = read_line_batches(verb, input, use);
  tell_of_input(verb, input.notes());
  if (input.notes().digests_have_counts && (verb == "build" || verb == "add")) {
    warn(verb,
         "warning: the keys are digests with a count behind a colon, and who asks for a digest will not find "
         "them: --key-form hex -k 1 -d : takes the digests alone");
  }
  return read;
}

Status for_each_key_batch(const std::string& verb, InputFiles& input, KeyHasher& hasher,
                          const std::function<Result<bool>(const KeyBatch&)>& use) {
  std::vector<Hash128> hashes;
  return for_each_line_batch(verb, input, [&](LineBatch& lines) -> Result<bool> {
    if (const Status hashed = hasher.hash(lines, input.first_line(), hashes); !hashed) {
      return hashed.error().in_file(input.current_name());
    }
    return use({.lines = lines, .hashes = hashes});
  });
}

}  // namespace bloomery::cli
