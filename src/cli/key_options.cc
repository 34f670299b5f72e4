#include "cli/key_options.h"

#include <algorithm>

#include <fmt/core.h>

#include "cli/dialect_choice.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/progress.h"

namespace bloomery::cli {

void KeyOptions::add_to(CLI::App& verb) {
  const std::string group = "What of a line is its key";
  form_option_ =
      verb.add_option("--key-form", form_, "text (default), hex, int32, int64, utf16 or url (canonical)")
          ->group(group);
  fields_option_ = verb.add_option("-k,--key", fields_,
                                   "fields, one-based: 2 or 1,3 or 2-4 or 3-; several make a composite key")
                       ->group(group);
  verb.add_option("-d,--delimiter", delimiter_, "the byte between fields (default: tab)")->group(group);
  verb.add_flag("-i,--ignore-case", ignore_case_, "A-Z count as a-z (ASCII only)")->group(group);
  verb.add_flag("--trim", trim_, "white space at both ends is not part of the key")->group(group);
  verb.add_flag("--sort-query", url_.sort_query, "url: the order of the parameters does not count")
      ->group(group);
  verb.add_flag("--drop-tracking", url_.drop_tracking, "url: utm_*, gclid, fbclid and the like do not count")
      ->group(group);
  hash_option_ =
      verb.add_option("--hash", hash_,
                      "the key is the md5, sha1, sha256 or ntlm digest of the text (--key-form hex)")
          ->group(group);
  verb.add_flag("--crlf", crlf_, "lines end in CR LF (otherwise a CR belongs to the key)")->group(group);
  verb.add_flag("-z,--null", null_, "lines end in NUL, not newline")->group(group);
  verb.add_option("--key-file", key_file_, "the secret of a keyed filter (default: FILTER.key)")
      ->group(group);
}

Status KeyOptions::parse() {
  if (form_option_->count() > 0) {
    const std::optional<KeyForm> form = key_form_from_name(form_);
    if (!form) {
      return Error::invalid_argument("--key-form",
                                     "expected text, hex, int32, int64, utf16 or url, found '" + form_ + "'");
    }
    parsed_form_ = *form;
  }
  BLOOMERY_RETURN_IF_ERROR(parse_hash());
  if (url_ != UrlOptions() && parsed_form_ != KeyForm::kUrl) {
    return Error::invalid_argument(url_.sort_query ? "--sort-query" : "--drop-tracking",
                                   "expected with --key-form url, found without");
  }
  if (fields_option_->count() > 0) {
    BLOOMERY_ASSIGN_OR_RETURN(parsed_fields_, parse_field_list(fields_));
  }
  if (delimiter_ == "\\t") {
    delimiter_ = "\t";
  }
  if (delimiter_.size() != 1) {
    return Error::invalid_argument("-d", "expected one byte, found '" + delimiter_ + "'");
  }
  return {};
}

Status KeyOptions::parse_hash() {
  if (hash_option_->count() == 0) {
    return {};
  }
  const std::optional<Digest> digest = digest_from_name(hash_);
  if (!digest) {
    return Error::invalid_argument("--hash", "expected md5, sha1, sha256 or ntlm, found '" + hash_ + "'");
  }
  if (form_option_->count() > 0 && parsed_form_ != KeyForm::kHex) {
    return Error::invalid_argument("--hash",
                                   "expected with --key-form hex or without, found '" + form_ + "'");
  }
  // The digest is of the text as it stands. A list's own trimming says nothing about the blanks of a password.
  if (trim_ || ignore_case_) {
    return Error::invalid_argument(
        "--hash", std::string("expected no change of the text before, found ") + (trim_ ? "--trim" : "-i"));
  }
  parsed_digest_ = *digest;
  parsed_form_ = KeyForm::kHex;
  return {};
}

KeyTreatment KeyOptions::treatment_for_new() const {
  return {.form = parsed_form_,
          .trim = trim_,
          .ignore_case = ignore_case_,
          .parts = part_count(parsed_fields_),
          .url = url_};
}

// Compares form, case, trimming, the options of URLs and the number of parts:
//
//   recorded, no option                     agrees: the caller applies what is recorded
//   recorded, and the same option           agrees
//   an option that is not recorded          contradicts
//   another form, another number of parts   contradicts
//
// The place of the key in a line (the fields of -k, -d, --crlf, -z) is not recorded and may differ from stream to stream.
// tests/cli/key_agreement_test.cc tries all of it with every verb.
Status KeyOptions::check_agrees_with(const NativeFilter& filter) const {
  const KeyTreatment& recorded = filter.key_treatment();
  if (filter.hash_spec().id == HashId::kReadyDigest) {
    return Error::invalid_argument(
        "filter",
        "expected one whose keys are hashed, found one of ready digests: only the library can ask it");
  }
  const auto contradiction = [&recorded](const std::string& option) {
    return Error::invalid_argument(option, "contradicts the filter, whose keys are: " + describe(recorded));
  };
  if (parsed_digest_ != Digest::kNone && recorded.form != KeyForm::kHex) {
    return contradiction("--hash");
  }
  if (form_option_->count() > 0 && parsed_form_ != recorded.form) {
    return contradiction("--key-form");
  }
  if (ignore_case_ && !recorded.ignore_case) {
    return contradiction("-i");
  }
  if (trim_ && !recorded.trim) {
    return contradiction("--trim");
  }
  if (url_.sort_query && !recorded.url.sort_query) {
    return contradiction("--sort-query");
  }
  if (url_.drop_tracking && !recorded.url.drop_tracking) {
    return contradiction("--drop-tracking");
  }
  if (part_count(parsed_fields_) != recorded.parts) {
    return contradiction(parsed_fields_.empty() ? "a key without -k" : "-k");
  }
  return {};
}

Result<KeyTreatment> KeyOptions::treatment_for_dialect(const std::string& dialect) const {
  KeyTreatment treatment = treatment_for_new();
  if (treatment.parts != 1) {
    return Error::invalid_argument(
        "-k", "expected one field, since other systems do not make keys of several as we do, found " +
                  fields_ + " for " + dialect);
  }
  if (const std::optional<DialectDescription> known = describe_dialect(dialect);
      known && form_option_->count() == 0 && hash_option_->count() == 0) {
    treatment.form = known->usual_key_form;
  }
  return treatment;
}

KeyPlace KeyOptions::place() const {
  return {.fields = parsed_fields_, .delimiter = delimiter_.front(), .crlf = crlf_, .digest = parsed_digest_};
}

void warn_without_url(std::string_view verb, std::uint64_t lines) {
  if (lines != 0) {
    warn(verb, fmt::format("{} keys are no URLs and were taken as they are", show_count(lines)));
  }
}

Status check_one_standard_input(const std::string& option, const std::vector<std::string>& list,
                                const std::vector<std::string>& files) {
  const auto uses = std::ranges::count(list, "-") + std::ranges::count(files, "-") + (files.empty() ? 1 : 0);
  if (!list.empty() && uses > 1) {
    return Error::invalid_argument(option,
                                   "expected one use of standard input, found " + std::to_string(uses));
  }
  return {};
}

Status for_each_line_batch(const std::string& verb, InputFiles& input,
                           const std::function<Result<bool>(const LineBatch&)>& use) {
  Progress progress(verb);
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

Status for_each_key_batch(const std::string& verb, InputFiles& input, KeyHasher& hasher,
                          const std::function<Result<bool>(const KeyBatch&)>& use) {
  std::vector<Hash128> hashes;
  return for_each_line_batch(verb, input, [&](const LineBatch& lines) -> Result<bool> {
    if (const Status hashed = hasher.hash(lines.lines, input.first_line(), hashes); !hashed) {
      return hashed.error().in_file(input.current_name());
    }
    return use({.lines = lines, .hashes = hashes});
  });
}

}  // namespace bloomery::cli
