// Options of a verb from a file of settings, in the form of TOML or INI that CLI11 parses.
//
//   db = "host=db.example.org user=feeder dbname=shop"      # for all sections
//   [users]
//   table = "users"
//   key = "email"
//
// A word is the long name of an option. The command line has precedence over the section, and the section
// over the words before the first section. Other sections are only checked: they belong to other feeders.
#pragma once

#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "cli/option_parser.h"

namespace bloomery::cli {

struct SettingsPlace {
  std::string file;
  std::string section;  // empty: only the words before the first section
};

// Gives the settings to the options of `verb` that the command line did not give. `outside` lists options
// that a file may not have. Errors: kInvalidArgument, with the line, for an unknown word, a word that is
// given twice and a value that its option refuses; the same for a missing section; those of reading the file.
Status apply_settings(CLI::App& verb, const SettingsPlace& place, const std::vector<std::string>& outside);

}  // namespace bloomery::cli
