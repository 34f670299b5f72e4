// The options that define the key of a line. They are the same for every verb that reads keys.
//
// To add a verb:
//
//   1. src/cli/verb_NAME.cc              options, work and add_NAME_verb()
//   2. src/cli/CMakeLists.txt            the file
//   3. src/cli/verbs.h                   the declaration of add_NAME_verb()
//   4. src/cli/main.cc                   its row in kVerbs, in the order of the help text
//   5. tests/cli/NAME_test.cc            its test; tests/mutants/cli.txt: faults that the test must see
//   6. tests/faults/cases.py             a case, if the verb writes a file
//   7. docs/command.md, docs/bloomery.1, CHANGELOG.md
//
// To add a key form (a file records its number, so begin with the format):
//
//   1. docs/formats/native.md                  the number of the form and how it makes key bytes
//   2. include/bloomery/hash/key_form.h        the number in KeyForm, a line in the header comment
//   3. src/hash/key_form.cc                    the name in kForms, the bytes in append_formed()
//   4. src/keys/key_maker.cc                   only if the form needs more than src/hash may include (`url`);
//                                              block_list_keys.cc for a form of block lists
//   5. src/filter/native/native_header.cc      the largest number that a file may have
//   6. src/cli/key_options.cc                  the name in the help text and in the error of parse()
//   7. tests/hash/key_form_test.cc, tests/keys/key_maker_test.cc
//   8. docs/command.md, docs/bloomery.1, docs/glossary.md, CHANGELOG.md
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/hash/key_form.h"
#include "cli/option_parser.h"
#include "dialects/key_rule.h"
#include "keys/input_files.h"
#include "keys/key_hasher.h"
#include "keys/key_place.h"

namespace bloomery::cli {

class KeyOptions {
 public:
  // Adds the options to a verb.
  void add_to(CLI::App& verb);

  // Parses the options. Call this before the other functions. `missing` is the default of --missing. Errors:
  // kInvalidArgument.
  Status parse(MissingField missing = MissingField::kKeep);

  // Errors: kInvalidArgument for an option of block lists that does not suit the key form of a new filter.
  Status check_new() const { return check_block_list(parsed_form_); }
  // Errors: kInvalidArgument with the text `why` if `form` is of a block list, for verbs that cannot use
  // these.
  static Status refuse_block_list(KeyForm form, const std::string& option, const std::string& why);

  // Returns the treatment that a new filter records.
  KeyTreatment treatment_for_new() const;
  // Errors: kInvalidArgument if an option contradicts the filter's record; also for a filter of ready
  // digests, because no text can become such a key.
  Status check_agrees_with(const NativeFilter& filter) const;

  // Adds --cassandra-key to a verb that opens or makes filters of other systems.
  void add_cassandra_to(CLI::App& verb);
  // Returns --cassandra-key; empty if it was not given.
  const std::string& cassandra_key() const { return cassandra_key_; }
  // Returns true if a key form was given by --key-form, --hash or an option of block lists.
  bool names_a_form() const;
  // Errors: kInvalidArgument if --cassandra-key was given. `what` names what does not support it.
  Status check_no_cassandra_key(const std::string& what) const;

  // Returns the treatment that turns text into keys of a dialect, whose files do not record it. It is given
  // by the options, or else it is the dialect's usual form. Errors: kInvalidArgument for composite keys,
  // which no other system encodes as we do, for block lists, and for a key form that cannot make keys of
  // the type that the file records.
  Result<KeyTreatment> treatment_for_dialect(const KeyRule& rule) const;

  // Skips bad lines, as --skip-bad-lines does. Call it before parse().
  void skip_bad_lines() { skip_bad_lines_ = true; }
  // Returns true if --missing was given.
  bool names_missing() const { return !missing_.empty(); }

  const KeyPlace& place() const { return place_; }
  // Returns --key-file; empty if it was not given.
  const std::string& key_file() const { return key_file_; }
  char line_delimiter() const { return null_ ? '\0' : '\n'; }
  InputShape input_shape() const;

 private:
  void add_block_lists_to(CLI::App& verb);
  Status parse_form();
  Status parse_hash();

  std::string form_;
  std::string key_file_;
  std::string fields_;
  std::string delimiter_;
  bool blanks_ = false;
  bool csv_ = false;
  std::string column_;
  std::string json_path_;
  std::string missing_;
  bool skip_bad_lines_ = false;
  std::string comments_;
  bool ignore_case_ = false;
  bool trim_ = false;
  bool crlf_ = false;
  bool null_ = false;
  std::string hash_;  // --hash
  std::string cassandra_key_;
  bool cidr_ = false;
  bool domain_suffix_ = false;
  bool url_prefix_ = false;
  bool mask_host_bits_ = false;
  bool public_suffixes_ = false;
  UrlOptions url_;
  CLI::Option* form_option_ = nullptr;
  CLI::Option* fields_option_ = nullptr;
  CLI::Option* hash_option_ = nullptr;

  KeyForm parsed_form_ = KeyForm::kText;
  KeyPlace place_;

  bool gives_form() const;
  Status check_combination() const;
  Status check_block_list(KeyForm form) const;
  Status parse_place(MissingField missing);
};

// Errors: kInvalidArgument if standard input would be read twice: by `list`, the files of `option`, and by
// `files`, the other inputs.
Status check_one_standard_input(const std::string& option, const std::vector<std::string>& list,
                                const std::vector<std::string>& files);

}  // namespace bloomery::cli
