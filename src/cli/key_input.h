// Reads the keys of a verb's input, with progress on stderr, and prints what users must know about them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "keys/input_files.h"
#include "keys/key_hasher.h"
#include "keys/key_place.h"
#include "keys/key_tally.h"

namespace bloomery::cli {

enum class Telling {
  kAll,
  kWarnings,  // under --no-summary: only what makes the result doubtful
};
inline Telling telling(bool no_summary) {
  return no_summary ? Telling::kWarnings : Telling::kAll;
}

// Prints on stderr what users must know about the keys: how many lines lack a field or were skipped, and how
// many keys of the form url are no URLs. Also warns if all keys are equal.
void tell_of_keys(std::string_view verb, const KeyTally& tally, const KeyPlace& place, Telling telling);

// Prints notes about the files of an input on stderr. for_each_line_batch() calls it.
void tell_of_input(std::string_view verb, const InputNotes& notes);

// Reads all of `input`, and calls `use` for every batch of lines until it fails or returns false. Shows
// progress under the name `verb`.
Status read_line_batches(const std::string& verb, InputFiles& input,
                         const std::function<Result<bool>(LineBatch&)>& use);

// Calls `use` as read_line_batches() does, and then prints notes about the files.
Status for_each_line_batch(const std::string& verb, InputFiles& input,
                           const std::function<Result<bool>(LineBatch&)>& use);

// A batch of lines with the hashes of their keys.
struct KeyBatch {
  const LineBatch& lines;
  std::span<const Hash128> hashes;
};

// Calls `use` as for_each_line_batch() does, with the hash of every key.
Status for_each_key_batch(const std::string& verb, InputFiles& input, KeyHasher& hasher,
                          const std::function<Result<bool>(const KeyBatch&)>& use);

}  // namespace bloomery::cli
