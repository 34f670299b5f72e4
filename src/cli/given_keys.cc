#include "cli/given_keys.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cli/file_conflicts.h"

namespace bloomery::cli {

void GivenKeys::add_to(CLI::App& verb, const std::string& what) {
  // Keeps the words unchanged, because CLI11 would read "{}" as an empty list.
  const auto take_words = [this](const CLI::results_t& words) {
    keys_ = words;
    return true;
  };
  verb.add_option("-e", take_words,
                  "one line to " + what + ", may be given again; standard input is not read then")
      ->type_name("KEY")
      ->take_all()
      ->allow_extra_args(false);
}

Status GivenKeys::check(const KeyOptions& keys) const {
  return keys_.empty() || !keys.place().has_header()
             ? Status()
             : Status(Error::invalid_argument("-e",
                                              "expected without --header: such a line has no named columns"));
}

std::span<const std::string> GivenKeys::inputs(const std::vector<std::string>& files) const {
  return keys_.empty() ? or_standard_input(files) : std::span<const std::string>(files);
}

InputShape GivenKeys::shape(const KeyOptions& keys) const {
  InputShape shape = keys.input_shape();
  shape.given = keys_;
  return shape;
}

Error or_a_key(const Error& error, const std::vector<std::string>& files) {
  if (error.code() != ErrorCode::kNotFound || std::ranges::count(files, error.subject()) == 0) {
    return error;
  }
  return {error.code(), error.subject(),
          fmt::format("{}; -e {} would be the key itself", error.detail(), error.subject())};
}

}  // namespace bloomery::cli
