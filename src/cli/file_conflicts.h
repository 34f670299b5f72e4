// Refuses command lines before any file is touched, if they mean something else than the user intended.
//
//   an output that is also an input    `build --force -o keys keys`: the keys would be lost. Allowed if the
//                                      output keeps the entire input: `merge --force -o a a b` updates a
//   FILTER and FILE swapped            `query keys k.bloom`
//   an output that is the key file     `build --keyed --key-file k -o k`: the secret would be lost
//   files after a one-file option      `build --exceptions white*.txt keys`: the shell expands the pattern to
//                                      two files, and the second would become members
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// Compares files and not names, so it also detects links; only regular files count. As an output, "-" is
// standard output; as an input, standard input. Errors: kInvalidArgument, naming both.
Status check_output_is_no_input(const std::string& output, std::span<const std::string> inputs);

// Refuses an output that is the run's key file, which is read or made before the output. Compares files, so
// it also detects links, and two names that would create the same file. Errors: kInvalidArgument, naming
// both.
Status check_output_is_no_key_file(const std::string& output, const std::string& key_file);

// Refuses a FILTER that is no filter if one of the key files is one of our filters: the two were swapped.
// Errors: kInvalidArgument, naming both.
Status check_not_swapped(const std::string& filter, std::span<const std::string> files);

// Refuses a second output that is the same file as standard output, because each would overwrite the other's
// lines. Errors: kInvalidArgument, naming `option`.
Status check_is_not_standard_output(std::string_view option, const std::string& output);

// Returns the FILE arguments; "-" (standard input) if there are none.
std::span<const std::string> or_standard_input(const std::vector<std::string>& files);

// Stores the words after the program's name; main() calls it once.
void set_given_words(std::span<char* const> words);
// Returns the words that set_given_words() stored.
const std::vector<std::string>& command_words();

// Refuses `OPTION A B ...`, where only A is the option's file and the next words are files of another kind.
// Accepts `OPTION=A B`, `OPTION A -- B` and `B OPTION A`. For the message, `meaning` says what A is
// ("exceptions"), and `otherwise` what B would be ("members"). Errors: kInvalidArgument, with both readings.
Status check_one_file_each(std::string_view option, std::string_view meaning, std::string_view otherwise);

}  // namespace bloomery::cli
