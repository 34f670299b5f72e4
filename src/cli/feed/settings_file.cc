#include "cli/feed/settings_file.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/file.h"
#include "base/message.h"
#include "cli/suggestion.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kSettingsBytesMax = std::uint64_t{1} << 20;

Result<std::string> text_of_settings(const std::string& path) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(const File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if (facts.size_bytes > kSettingsBytesMax) {
    return Error::invalid_argument(path, message("expected at most ", kSettingsBytesMax,
                                                 " bytes of settings, found ", facts.size_bytes));
  }
  std::string text(facts.size_bytes, '\0');
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t got,
                            files.read_at(file, 0, std::as_writable_bytes(std::span(text))));
  text.resize(got);
  return text;
}

std::string_view trimmed_setting(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\"'");
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(" \t\r\"'") + 1 - begin);
}

// Returns the number of the line that has the n-th `name =` of a section. CLI11 does not tell it.
std::size_t line_of_setting(std::string_view text, std::string_view section, std::string_view name, int nth) {
  std::size_t number = 0;
  std::string_view inside;
  while (!text.empty()) {
    ++number;
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string_view bare = trimmed_setting(line);
    if (bare.starts_with('[')) {
      inside = trimmed_setting(bare.substr(1, bare.find(']') - 1));
    } else if (inside == section && trimmed_setting(bare.substr(0, bare.find('='))) == name && --nth == 0) {
      return number;
    }
  }
  return 0;
}

std::vector<std::string> names_of_settings(const CLI::App& verb, const std::vector<std::string>& outside) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (std::ranges::find(outside, name) == outside.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

struct FoundSetting {
  CLI::Option* option = nullptr;
  std::vector<std::string> values;
  std::size_t line = 0;
};

Status give_setting(const FoundSetting& setting, const std::string& name, const std::string& path) {
  try {
    if (setting.option->get_expected_min() == 0) {
      setting.option->add_result(
          setting.option->get_flag_value(name, setting.values.empty() ? "true" : setting.values[0]));
    } else {
      setting.option->add_result(setting.values);
    }
    setting.option->run_callback();
  } catch (const CLI::Error& error) {
    return Error::invalid_argument(path, message("line ", setting.line, ": ", name, ": ", error.what()));
  }
  return {};
}

}  // namespace

Status apply_settings(CLI::App& verb, const SettingsPlace& place, const std::vector<std::string>& outside) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string text, text_of_settings(place.file));
  std::vector<CLI::ConfigItem> items;
  try {
    std::istringstream stream(text);
    items = CLI::ConfigTOML().from_config(stream);
  } catch (const CLI::Error& error) {
    return Error::invalid_argument(place.file,
                                   message("expected settings as TOML has them, found: ", error.what()));
  }
  const std::vector<std::string> known = names_of_settings(verb, outside);
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<std::pair<std::string, FoundSetting>> own;     // of the section
  std::vector<std::pair<std::string, FoundSetting>> shared;  // before the first section
  bool has_section = place.section.empty();
  for (const CLI::ConfigItem& item : items) {
    std::string section = item.parents.empty() ? "" : item.parents.front();
    for (std::size_t i = 1; i < item.parents.size(); ++i) {
      section += "." + item.parents[i];
    }
    has_section = has_section || section == place.section;
    if (item.name == "++" || item.name == "--") {
      continue;  // a section begins or ends
    }
    const auto refused = [&](int nth, const std::string& why) {
      return Error::invalid_argument(
          place.file, message("line ", line_of_setting(text, section, item.name, nth), ": ", why));
    };
    if (std::ranges::find(known, item.name) == known.end()) {
      return refused(1, message("expected the long name of an option, found '", item.name, "'",
                                did_you_mean(item.name, known)));
    }
    if (!seen.emplace(section, item.name).second) {
      return refused(2, message("expected ", item.name,
                                " once in a section; several values are a list: [\"a\", \"b\"]"));
    }
    FoundSetting setting{verb.get_option("--" + item.name), item.inputs,
                         line_of_setting(text, section, item.name, 1)};
    if (section.empty()) {
      shared.emplace_back(item.name, std::move(setting));
    } else if (section == place.section) {
      own.emplace_back(item.name, std::move(setting));
    }
  }
  if (!has_section) {
    return Error::invalid_argument(place.file,
                                   message("expected the section [", place.section, "], found none"));
  }
  own.insert(own.end(), std::make_move_iterator(shared.begin()), std::make_move_iterator(shared.end()));
  for (const auto& [name, setting] : own) {
    if (setting.option->empty()) {
      BLOOMERY_RETURN_IF_ERROR(give_setting(setting, name, place.file));
    }
  }
  return {};
}

}  // namespace bloomery::cli
