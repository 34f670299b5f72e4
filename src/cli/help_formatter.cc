#include "cli/help_formatter.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include "hash/ascii_text.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kUsualWidth = 100;
constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kNameColumn = 30;
// If a verb has at most this many options, --help explains them all.
constexpr std::size_t kFewOptions = 20;
// If fewer options have a letter, the letters do not show which options are common, and --help explains all.
constexpr std::ptrdiff_t kFewestWithLetter = 6;

// Appends the words of `text` in lines of at most `width`. The first line has `used` columns already; the
// others are indented by `indent` blanks. A word longer than a line gets its own line.
void append_wrapped(std::string& out, std::string_view text, std::size_t used, std::size_t indent,
                    std::size_t width) {
  std::istringstream words{std::string(text)};
  bool is_first = true;
  for (std::string word; words >> word;) {
    if (!is_first && used + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (!is_first) {
      out += ' ';
      ++used;
    }
    out += word;
    used += word.size();
    is_first = false;
  }
}

// Wraps a paragraph if one of its lines is too long.
void append_paragraph(std::string& out, const std::string& lines, std::size_t longest, std::size_t width) {
  if (longest <= width) {
    out += lines;
    return;
  }
  append_wrapped(out, lines, 0, 0, width);
  out += '\n';
}

// Wraps prose. Lines that begin with a blank are examples or tables, and are not wrapped.
std::string wrapped_prose(const std::string& text, std::size_t width) {
  std::string out;
  std::string paragraph;
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != ' ') {
      paragraph += line + "\n";
      longest = std::max(longest, line.size());
      continue;
    }
    append_paragraph(out, paragraph, longest, width);
    paragraph.clear();
    longest = 0;
    out += line + "\n";
  }
  append_paragraph(out, paragraph, longest, width);
  return out;
}

using Options = std::vector<const CLI::Option*>;

// Returns the options that help lists, in order.
Options listed_options(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

// Returns true for a common option: it has a letter or is required.
bool is_usual(const CLI::App& app, const CLI::Option* option) {
  return !option->get_snames().empty() || option->get_required() || option == app.get_help_all_ptr();
}

bool are_all_explained(const Options& options) {
  const auto has_letter = [](const CLI::Option* option) { return !option->get_snames().empty(); };
  return options.size() <= kFewOptions || std::ranges::count_if(options, has_letter) < kFewestWithLetter;
}

std::string name_of(const CLI::Option* option) {
  return option->get_lnames().empty() ? "-" + option->get_snames().front()
                                      : "--" + option->get_lnames().front();
}

// Returns the names from the command to the verb: "bloomery hfile".
std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : path_of(*app.get_parent()) + " " + app.get_name();
}

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

}  // namespace

std::size_t help_width() {
  const char* const columns = std::getenv("COLUMNS");  // NOLINT(concurrency-mt-unsafe): never set by us
  std::size_t width = columns == nullptr ? 0 : number_from_text<std::size_t>(columns).value_or(0);
  winsize window{};
  if (width == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) {
    width = window.ws_col;
  }
  return std::max(width == 0 ? kUsualWidth : width, kLeastWidth);
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) +
         make_options(app, mode) + make_subcommands(app, mode) + "\n" + make_footer(app);
}

std::string HelpFormatter::make_options(const CLI::App* app, CLI::AppFormatMode mode) const {
  const Options options = listed_options(*app);
  std::string out;
  if (mode == CLI::AppFormatMode::All || are_all_explained(options)) {
    for (const std::string& group : app->get_groups()) {
      Options of_group = options;
      std::erase_if(of_group, [&](const CLI::Option* option) { return option->get_group() != group; });
      out += of_group.empty() ? "" : make_group(group, false, of_group);
    }
    return out;
  }
  Options usual = options;
  std::erase_if(usual, [&](const CLI::Option* option) { return !is_usual(*app, option); });
  out = make_group("Options", false, usual) + "\n";
  std::string others = "More options, which `" + path_of(*app) + " --help-all` explains:";
  for (const CLI::Option* const option : options) {
    others += is_usual(*app, option) ? "" : " " + name_of(option);
  }
  append_wrapped(out, others, 0, 2, width_);
  return out + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string out = "  " + make_option_name(option, is_positional) + make_option_opts(option);
  const std::size_t column = width_ >= 2 * kNameColumn + 20 ? kNameColumn : 6;
  const std::string description = make_option_desc(option);
  if (!description.empty() && out.size() + 2 > column) {
    out += '\n';
    out.append(column, ' ');
  } else if (!description.empty()) {
    out.append(column - out.size(), ' ');
  }
  append_wrapped(out, description, column, column, width_);
  return out + "\n";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (!option->get_option_text().empty()) {
    return " " + option->get_option_text();
  }
  std::string out;
  if (option->get_type_size() == 0) {
    return out;
  }
  if (!option->get_type_name().empty()) {
    out += " " + get_label(option->get_type_name());
  }
  if (!option->get_default_str().empty()) {
    out += "=" + option->get_default_str();
  }
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) {
    out += " ...";
  }
  return option->get_required() ? out + " " + get_label("REQUIRED") : out;
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return wrapped_prose(app->get_description(), width_) + "\n";
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  return wrapped_prose(app->get_footer(), width_);
}

std::string OverviewFormatter::make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const {
  if (mode != CLI::AppFormatMode::All) {
    return HelpFormatter::make_subcommands(app, mode);
  }
  std::string out;
  for (const CLI::App* const verb : verbs_of(*app)) {
    out += "\n--- " + path_of(*verb) + " ---\n\n" + verb->help(path_of(*app), mode);
  }
  return out;
}

std::string OverviewFormatter::make_subcommand(const CLI::App* verb) const {
  constexpr std::size_t kColumn = 13;
  std::string out = "  " + verb->get_name();
  out.append(std::max(out.size() + 1, kColumn) - out.size(), ' ');
  const std::string description = verb->get_description();
  append_wrapped(out, description.substr(0, description.find('\n')), out.size(), kColumn, width());
  return out + "\n";
}

}  // namespace bloomery::cli
