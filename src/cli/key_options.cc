#include "cli/key_options.h"

#include <algorithm>
#include <charconv>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <system_error>

#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "keys/field_reader.h"

namespace bloomery::cli {
namespace {

// Returns the byte that -d names: the byte itself, or \t, \\ or \xHH. Errors: kInvalidArgument.
Result<char> parse_delimiter(const std::string& text) {
  if (text.size() == 1) {
    return text.front();
  }
  if (text == "\\t" || text == "\\\\") {
    return text == "\\t" ? '\t' : '\\';
  }
  unsigned byte = 0;
  const char* const end = text.data() + text.size();
  if (text.size() == 4 && text.starts_with("\\x")) {
    if (const auto [stopped, code] = std::from_chars(text.data() + 2, end, byte, 16);
        code == std::errc() && stopped == end) {
      return static_cast<char>(byte);
    }
  }
  return Error::invalid_argument("-d", "expected one byte, \\t or \\xHH, found '" + text + "'");
}

}  // namespace

bool KeyOptions::gives_form() const {
  return form_option_->count() > 0 || cidr_ || domain_suffix_ || url_prefix_;
}

bool KeyOptions::names_a_form() const {
  return gives_form() || hash_option_->count() > 0;
}

void KeyOptions::add_to(CLI::App& verb) {
  const std::string group = "What of a line is its key";
  form_option_ =
      verb.add_option("--key-form", form_,
                      "text (default), hex, int32, int64, utf16, url (canonical), timestamptz (in UTC), or a "
                      "block list: cidr, domain-suffix or url-prefix")
          ->group(group);
  fields_option_ = verb.add_option("-k,--key", fields_,
                                   "fields, one-based: 2 or 1,3 or 2-4 or 3-; several make a composite key")
                       ->group(group);
  verb.add_option(
          "-d,--delimiter", delimiter_,
          "the byte between fields: itself, \\t or \\xHH such as \\x01 (default: tab; comma with --csv)")
      ->group(group);
  verb.add_flag("-w,--blanks", blanks_, "fields stand between runs of blanks and tabs, as for awk")
      ->group(group);
  verb.add_flag("--csv", csv_,
                "lines are CSV (RFC 4180): quoted fields may hold the delimiter, but no end of a line")
      ->group(group);
  verb.add_option(
          "--header", column_,
          "the key is the column of this name; the first line of each file names the columns and is no key")
      ->type_name("NAME")
      ->group(group);
  verb.add_option("--json-field", json_path_,
                  "lines are JSON; the key is the value at this path: user.id, tags.0 or /user/id")
      ->type_name("PATH")
      ->group(group);
  verb.add_option(
          "--missing", missing_,
          "a line that lacks the field: skip it, error, or keep it with an empty field (default: keep; "
          "dedup: error)")
      ->group(group);
  verb.add_flag("--skip-bad-lines", skip_bad_lines_,
                "leave out lines that are malformed or not of the key form, and count them (default: error)")
      ->group(group);
  verb.add_option("--comments", comments_,
                  "leave out lines that begin with one of these bytes, such as '#;', and blank lines")
      ->type_name("BYTES")
      ->group(group);
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
  add_block_lists_to(verb);
}

void KeyOptions::add_cassandra_to(CLI::App& verb) {
  verb.add_option("--cassandra-key", cassandra_key_,
                  "the CQL types of Cassandra's partition key: int or text,uuid with -k 1,2 (default: as the "
                  "Statistics.db beside the filter records them)")
      ->type_name("TYPE[,TYPE...]")
      ->group("What of a line is its key");
}

Status KeyOptions::check_no_cassandra_key(const std::string& what) const {
  return cassandra_key_.empty()
             ? Status()
             : Status(Error::invalid_argument(
                   "--cassandra-key", "expected with a filter of the dialect cassandra, found " + what));
}

void KeyOptions::add_block_lists_to(CLI::App& verb) {
  const std::string group = "Block lists, which are asked for all that holds a line";
  verb.add_flag("--cidr", cidr_,
                "keys are networks (10.0.0.0/8) or addresses; an address asks for its networks")
      ->group(group);
  verb.add_flag("--domain-suffix", domain_suffix_,
                "keys are domain names; a host name asks for its parent domains")
      ->group(group);
  verb.add_flag("--url-prefix", url_prefix_,
                "keys are URLs; a URL asks for hosts and paths above it, as Safe Browsing does")
      ->group(group);
  verb.add_flag("--mask-host-bits", mask_host_bits_, "cidr: 10.1.2.3/8 counts as 10.0.0.0/8 (default: error)")
      ->group(group);
  verb.add_flag(
          "--public-suffixes", public_suffixes_,
          "domain-suffix, url-prefix: take entries such as co.uk, which are everybody's (default: error)")
      ->group(group);
}

// Parses --key-form, --cidr, --domain-suffix and --url-prefix. Several of them must name the same form.
Status KeyOptions::parse_form() {
  if (form_option_->count() > 0) {
    const std::optional<KeyForm> form = key_form_from_name(form_);
    if (!form) {
      return Error::invalid_argument("--key-form",
                                     "expected text, hex, int32, int64, utf16, url, timestamptz, cidr, "
                                     "domain-suffix or url-prefix, found '" +
                                         form_ + "'");
    }
    parsed_form_ = *form;
  }
  bool is_named = form_option_->count() > 0;
  const auto take = [&](bool given, KeyForm form) -> Status {
    if (given && is_named && parsed_form_ != form) {
      return Error::invalid_argument(
          std::string("--") + key_form_name(form),
          std::string("expected one form of keys, found ") + key_form_name(parsed_form_) + " too");
    }
    parsed_form_ = given ? form : parsed_form_;
    is_named = is_named || given;
    return {};
  };
  BLOOMERY_RETURN_IF_ERROR(take(cidr_, KeyForm::kCidr));
  BLOOMERY_RETURN_IF_ERROR(take(domain_suffix_, KeyForm::kDomainSuffix));
  return take(url_prefix_, KeyForm::kUrlPrefix);
}

// Checks that the options of block lists suit the form of the keys.
Status KeyOptions::check_block_list(KeyForm form) const {
  if (mask_host_bits_ && form != KeyForm::kCidr) {
    return Error::invalid_argument(
        "--mask-host-bits", std::string("expected keys of the form cidr, found ") + key_form_name(form));
  }
  if (public_suffixes_ && form != KeyForm::kDomainSuffix && form != KeyForm::kUrlPrefix) {
    return Error::invalid_argument(
        "--public-suffixes",
        std::string("expected keys of the form domain-suffix or url-prefix, found ") + key_form_name(form));
  }
  if (is_block_list(form) && place_.parts() != 1) {
    return Error::invalid_argument("-k", "expected one field for a block list, found " + fields_);
  }
  return {};
}

Status KeyOptions::refuse_block_list(KeyForm form, const std::string& option, const std::string& why) {
  if (!is_block_list(form)) {
    return {};
  }
  return Error::invalid_argument(
      option, std::string("expected no block list, found the key form ") + key_form_name(form) + ": " + why);
}

Status KeyOptions::parse(MissingField missing) {
  BLOOMERY_RETURN_IF_ERROR(parse_form());
  BLOOMERY_RETURN_IF_ERROR(parse_hash());
  if (url_ != UrlOptions() && parsed_form_ != KeyForm::kUrl) {
    return Error::invalid_argument(url_.sort_query ? "--sort-query" : "--drop-tracking",
                                   "expected with --key-form url, found without");
  }
  BLOOMERY_RETURN_IF_ERROR(check_combination());
  return parse_place(missing);
}

Status KeyOptions::check_combination() const {
  const auto expect = [](bool holds, const char* option, const char* expected) -> Status {
    return holds ? Status() : Status(Error::invalid_argument(option, expected));
  };
  const bool has_fields = fields_option_->count() > 0;
  const bool json = !json_path_.empty();
  BLOOMERY_RETURN_IF_ERROR(
      expect(!json || !(csv_ || blanks_ || has_fields || !column_.empty() || !delimiter_.empty()),
             "--json-field", "expected without -k, -d, -w, --csv and --header"));
  BLOOMERY_RETURN_IF_ERROR(
      expect(!blanks_ || (!csv_ && delimiter_.empty()), "-w", "expected without --csv and -d"));
  BLOOMERY_RETURN_IF_ERROR(expect(column_.empty() || !has_fields, "--header",
                                  "expected without -k: the name says which field it is"));
  BLOOMERY_RETURN_IF_ERROR(expect(has_fields || !column_.empty() || !(csv_ || blanks_), csv_ ? "--csv" : "-w",
                                  "expected with -k or --header, which say what the key is"));
  return expect(missing_.empty() || has_fields || !column_.empty() || json, "--missing",
                "expected with -k, --header or --json-field");
}

Status KeyOptions::parse_place(MissingField missing) {
  if (fields_option_->count() > 0) {
    BLOOMERY_ASSIGN_OR_RETURN(place_.fields, parse_field_list(fields_));
  }
  if (!json_path_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(place_.json_path, parse_json_path(json_path_));
  }
  BLOOMERY_ASSIGN_OR_RETURN(
      place_.delimiter, !delimiter_.empty() ? parse_delimiter(delimiter_) : Result<char>(csv_ ? ',' : '\t'));
  if (csv_ && place_.delimiter == '"') {
    return Error::invalid_argument("-d", "expected another byte than the quote with --csv");
  }
  if (!missing_.empty()) {
    if (missing_ != "skip" && missing_ != "error" && missing_ != "keep") {
      return Error::invalid_argument("--missing", "expected skip, error or keep, found '" + missing_ + "'");
    }
    missing = missing_ == "skip"    ? MissingField::kSkip
              : missing_ == "error" ? MissingField::kError
                                    : MissingField::kKeep;
  }
  place_.missing = missing;
  place_.crlf = crlf_;
  place_.entries = {.host_bits = mask_host_bits_ ? HostBits::kMask : HostBits::kRefuse,
                    .public_suffix = public_suffixes_ ? PublicSuffix::kTake : PublicSuffix::kRefuse};
  place_.column = column_;
  place_.comments = comments_;
  place_.bad = skip_bad_lines_ ? BadLine::kSkip : BadLine::kError;
  place_.split = !json_path_.empty() ? Split::kJson
                 : csv_              ? Split::kCsv
                 : blanks_           ? Split::kBlanks
                                     : Split::kDelimiter;
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
  if (gives_form() && parsed_form_ != KeyForm::kHex) {
    return Error::invalid_argument("--hash", std::string("expected with --key-form hex or without, found '") +
                                                 key_form_name(parsed_form_) + "'");
  }
  // The digest is computed from the unchanged text, because blanks may belong to a password.
  if (trim_ || ignore_case_) {
    return Error::invalid_argument(
        "--hash", std::string("expected no change of the text before, found ") + (trim_ ? "--trim" : "-i"));
  }
  place_.digest = *digest;
  parsed_form_ = KeyForm::kHex;
  return {};
}

KeyTreatment KeyOptions::treatment_for_new() const {
  return {
      .form = parsed_form_, .trim = trim_, .ignore_case = ignore_case_, .parts = place_.parts(), .url = url_};
}

// Compares the options with the filter's record: form, case, trimming, URL options and the number of parts:
//
//   recorded, no option                     agrees: the caller applies the record
//   recorded, and the same option           agrees
//   an option that is not recorded          contradicts
//   another form, another number of parts   contradicts
//   --hash with another digest width        contradicts
//
// The options that locate the key in a line are not recorded, and may differ from input to input: -k, -d, -w,
// --csv, --header, --json-field, --crlf, -z. tests/cli/key_agreement_test.cc tests all combinations with
// every verb.
Status KeyOptions::check_agrees_with(const NativeFilter& filter) const {
  BLOOMERY_RETURN_IF_ERROR(check_no_cassandra_key("one of ours"));
  const KeyTreatment& recorded = filter.key_treatment();
  if (filter.hash_spec().id == HashId::kReadyDigest) {
    return Error::invalid_argument(
        "filter",
        "expected one whose keys are hashed, found one of ready digests: only the library can ask it");
  }
  const auto contradiction = [&recorded](const std::string& option) {
    return Error::invalid_argument(option, "contradicts the filter, whose keys are: " + describe(recorded));
  };
  if (place_.digest != Digest::kNone && recorded.form != KeyForm::kHex) {
    return contradiction("--hash");
  }
  if (place_.digest != Digest::kNone && recorded.digest_bytes != 0 &&
      digest_bytes(place_.digest) != recorded.digest_bytes) {
    return Error::invalid_argument(
        "--hash",
        fmt::format("expected a digest of {} bytes ({} digits), as all keys of the filter have, found {}, "
                    "which has {}",
                    recorded.digest_bytes, recorded.digest_bytes * 2, digest_name(place_.digest),
                    digest_bytes(place_.digest)));
  }
  if (gives_form() && parsed_form_ != recorded.form) {
    return contradiction(form_option_->count() > 0 ? std::string("--key-form")
                                                   : std::string("--") + key_form_name(parsed_form_));
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
  if (place_.parts() != recorded.parts) {
    return contradiction(place_.fields.empty() ? "a key without -k" : "-k");
  }
  return check_block_list(recorded.form);
}

Result<KeyTreatment> KeyOptions::treatment_for_dialect(const KeyRule& rule) const {
  KeyTreatment treatment = treatment_for_new();
  BLOOMERY_RETURN_IF_ERROR(refuse_block_list(
      treatment.form, std::string("--") + key_form_name(treatment.form),
      "the files of other systems, such as " + rule.dialect() + ", do not say that they are one"));
  BLOOMERY_RETURN_IF_ERROR(check_block_list(treatment.form));
  if (treatment.parts != 1) {
    return Error::invalid_argument(
        "-k", "expected one field, since other systems do not make keys of several as we do, found " +
                  fields_ + " for " + rule.dialect());
  }
  if (!names_a_form()) {
    treatment.form = rule.usual_form();
    return treatment;
  }
  BLOOMERY_RETURN_IF_ERROR(rule.check_type(treatment.form, "--key-form"));
  return treatment;
}

InputShape KeyOptions::input_shape() const {
  InputShape shape(line_delimiter());
  shape.has_header = place_.has_header();
  shape.look_for_counts =
      parsed_form_ == KeyForm::kText && !place_.has_fields() && place_.digest == Digest::kNone;
  shape.comments = place_.comments;
  if (!place_.crlf && !trim_ && !null_ &&
      (place_.split == Split::kDelimiter || place_.split == Split::kBlanks)) {
    shape.look_for_cr = place_;
  }
  return shape;
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

}  // namespace bloomery::cli
