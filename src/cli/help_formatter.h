// The help of a verb: usage, and each option with what it does, in lines that fit.
//
// The width is COLUMNS, or that of the terminal, or 100 columns. Examples are never cut. What an option excludes is not
// listed: the error says it to those who need it.
#pragma once

#include <cstddef>
#include <string>

#include <CLI/CLI.hpp>

namespace bloomery::cli {

// Returns the columns that help may have.
std::size_t help_width();

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) {}

  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::size_t width_;
};

}  // namespace bloomery::cli
