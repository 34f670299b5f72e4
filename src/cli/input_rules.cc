#include "cli/input_rules.h"

#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cli/numbers.h"
#include "keys/field_reader.h"

namespace bloomery::cli {
namespace {

// Returns the number of lines that count for the rules: all but comments.
std::uint64_t judged_lines(const KeyTally& tally, const KeyPlace& place) {
  return tally.taken + tally.bad + (place.missing == MissingField::kSkip ? tally.without_field : 0);
}

// Returns true if no line has the field and no --missing allows that.
bool lacks_field(const KeyTally& tally, const KeyOptions& keys) {
  return tally.with_fields != 0 && tally.without_field == tally.with_fields && !keys.names_missing();
}

}  // namespace

void InputRules::add_to(CLI::App& verb) {
  verb.add_flag("--allow-empty", allow_empty_, "take an input without any key (default: refused)");
  verb.add_option("--max-bad", max_bad_,
                  "leave out bad lines, and refuse an input of more than N of them, or P% of its lines "
                  "(--skip-bad-lines alone: 50%)")
      ->type_name("N|P%");
}

Status InputRules::parse(KeyOptions& keys) {
  if (max_bad_.empty()) {
    return {};
  }
  keys.skip_bad_lines();
  is_share_ = max_bad_.ends_with('%');
  if (!is_share_) {
    BLOOMERY_ASSIGN_OR_RETURN(most_, parse_count("--max-bad", max_bad_));
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(share_, parse_probability("--max-bad", max_bad_));
  return share_ >= 0 && share_ <= 1
             ? Status()
             : Status(Error::invalid_argument("--max-bad", "expected 0% to 100%, found " + max_bad_));
}

std::uint64_t InputRules::most_bad(std::uint64_t lines) const {
  return is_share_ ? static_cast<std::uint64_t>(std::floor(share_ * static_cast<double>(lines) + 1e-9))
                   : most_;
}

bool InputRules::may_yet_refuse(const KeyTally& tally, const KeyOptions& keys) const {
  const bool counts_bad = keys.place().bad == BadLine::kSkip && !(is_share_ && share_ == 1);
  return counts_bad || lacks_field(tally, keys);
}

Status InputRules::check(const KeyTally& tally, const KeyOptions& keys) const {
  const std::uint64_t lines = judged_lines(tally, keys.place());
  if (const std::uint64_t most = most_bad(lines); tally.bad > most) {
    return Error::invalid_argument(
        "input",
        fmt::format("expected at most {} bad lines of {}, found {}: is it the list that was meant? --max-bad "
                    "takes more",
                    show_count(most), show_count(lines), show_count(tally.bad)));
  }
  if (lacks_field(tally, keys)) {
    return Error::invalid_argument(
        "input", fmt::format("expected lines with {}, found {} without it: do -k and the delimiter fit (-d, "
                             "-w, --csv)? --missing keep takes them as empty",
                             FieldReader(keys.place()).describe(),
                             tally.with_fields == 1 ? "one" : "all " + show_count(tally.with_fields)));
  }
  if (tally.taken == 0 && !allow_empty_) {
    return Error::invalid_argument(
        "input", lines == 0
                     ? std::string("expected keys, found none; --allow-empty takes that")
                     : fmt::format("expected keys, found {} lines without any; --allow-empty takes that",
                                   show_count(lines)));
  }
  return {};
}

std::uint64_t InputRules::amiss(const KeyTally& tally, const KeyOptions& keys) {
  return judged_lines(tally, keys.place()) - tally.taken + (tally.taken == 0 ? 1 : 0);
}

}  // namespace bloomery::cli
