#include "table/layout/store_file_name.h"

#include <algorithm>
#include <charconv>

namespace bloomery::table {
namespace {

constexpr std::string_view kSequence = "_SeqId_";

// Parses HEX or HEX_SeqId_N_. Does not accept the name of a MOB file, HEX_REGION.
bool parse_file(std::string_view file, StoreFileName& name) {
  const std::size_t mark = file.find(kSequence);
  const std::string_view hex = file.substr(0, mark);
  name.file = file;
  if (mark == std::string_view::npos) {
    return is_hex(hex);
  }
  std::string_view number = file.substr(mark + kSequence.size());
  if (!is_hex(hex) || !number.ends_with('_')) {
    return false;
  }
  number.remove_suffix(1);
  std::int64_t id = 0;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), id);
  name.sequence_id = id;
  return error == std::errc() && stop == number.data() + number.size() && id >= 0;
}

bool parse_link(std::string_view text, StoreFileName& name) {
  const std::size_t last = text.rfind('=');
  const std::string_view tail = text.substr(last + 1);
  const std::size_t dash = tail.find('-');
  if (dash == std::string_view::npos || !is_hex(tail.substr(0, dash)) ||
      !parse_file(tail.substr(dash + 1), name)) {
    return false;
  }
  StoreFilePlace place{.region = std::string(tail.substr(0, dash)), .file = name.file};
  const std::string_view table = text.substr(0, last);
  const std::size_t equals = table.find('=');
  if (equals != std::string_view::npos) {
    place.table.name_space = table.substr(0, equals);
  }
  place.table.name = table.substr(equals == std::string_view::npos ? 0 : equals + 1);
  const auto is_name = [](std::string_view each) {
    return !each.empty() && each.front() != '.' && each.find('/') == std::string_view::npos &&
           each.find('=') == std::string_view::npos;
  };
  const bool is_valid = is_name(place.table.name) && is_name(place.table.name_space);
  name.link = std::move(place);
  return is_valid;
}

bool parse_target(std::string_view text, StoreFileName& name) {
  return text.find('=') != std::string_view::npos ? parse_link(text, name) : parse_file(text, name);
}

}  // namespace

bool is_hex(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::optional<StoreFileName> parse_store_file_name(std::string_view name) {
  StoreFileName parsed;
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos && is_hex(name.substr(dot + 1)) &&
      parse_target(name.substr(0, dot), parsed)) {
    parsed.referred_region = name.substr(dot + 1);
    return parsed;
  }
  parsed = {};
  return parse_target(name, parsed) ? std::optional(parsed) : std::nullopt;
}

}  // namespace bloomery::table
