// The options that say what of a line is its key, the same for every verb that reads keys.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "bloomery/base/result.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/hash/key_form.h"
#include "keys/input_files.h"
#include "keys/key_hasher.h"

namespace bloomery::cli {

class KeyOptions {
 public:
  // Adds the options to a verb.
  void add_to(CLI::App& verb);

  // Reads what was given. To be called once, before the others. Errors: kInvalidArgument.
  Status parse();

  // What a new filter is to record.
  KeyTreatment treatment_for_new() const;
  // Errors: kInvalidArgument where an option that was given contradicts what a filter recorded, or where the
  // filter is of ready digests, which no text becomes.
  Status check_agrees_with(const NativeFilter& filter) const;

  // How text becomes the keys of a dialect, which records nothing of it: as was asked, else in its usual
  // form. Errors: kInvalidArgument for composite keys, which no other system makes as we do.
  Result<KeyTreatment> treatment_for_dialect(const std::string& dialect) const;

  KeyPlace place() const;
  // --key-file; empty when it was not given.
  const std::string& key_file() const { return key_file_; }
  char line_delimiter() const { return null_ ? '\0' : '\n'; }

 private:
  std::string form_;
  std::string key_file_;
  std::string fields_;
  std::string delimiter_ = "\t";
  bool ignore_case_ = false;
  bool trim_ = false;
  bool crlf_ = false;
  bool null_ = false;
  UrlOptions url_;
  CLI::Option* form_option_ = nullptr;
  CLI::Option* fields_option_ = nullptr;

  KeyForm parsed_form_ = KeyForm::kText;
  FieldList parsed_fields_;
};

// Says on stderr how many keys of form url are no URLs, where some are.
void warn_without_url(std::string_view verb, std::uint64_t lines);

// Errors: kInvalidArgument when `list`, the files of `option`, and `files`, the others, are both to be read
// from standard input.
Status check_one_standard_input(const std::string& option, const std::vector<std::string>& list,
                                const std::vector<std::string>& files);

// Reads all of `input`, and calls `use` for every batch of lines until it fails or answers false. Shows
// progress as `verb`.
Status for_each_line_batch(const std::string& verb, InputFiles& input,
                           const std::function<Result<bool>(const LineBatch&)>& use);

// One batch of lines with their hashes.
struct KeyBatch {
  const LineBatch& lines;
  std::span<const Hash128> hashes;
};

// The same with the hash of every key.
Status for_each_key_batch(const std::string& verb, InputFiles& input, KeyHasher& hasher,
                          const std::function<Result<bool>(const KeyBatch&)>& use);

}  // namespace bloomery::cli
