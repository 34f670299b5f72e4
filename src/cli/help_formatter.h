// Formats the help of a verb: its usage, and its options with their meanings, wrapped to the width.
//
//   --help       with many options: explains required ones and those with letters, names the rest
//   --help-all   explains all options; for a verb with verbs of its own, prints the full help of each
//
// The width is COLUMNS, or that of the terminal, or 100 columns. Examples are never cut. Excluded options
// are not listed: the error names them.
#pragma once

#include <cstddef>
#include <string>

#include <CLI/CLI.hpp>

namespace bloomery::cli {

// Returns the width of help in columns.
std::size_t help_width();

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;

 protected:
  std::size_t width() const { return width_; }

 private:
  std::string make_options(const CLI::App* app, CLI::AppFormatMode mode) const;

  std::size_t width_;
};

// Lists each verb with the first line of its description. Further lines are examples, which the verb's own
// help has.
class OverviewFormatter : public HelpFormatter {
 public:
  using HelpFormatter::HelpFormatter;

  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
};

}  // namespace bloomery::cli
