#include "bloomery/table/family_text.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/byte_text.h"
#include "base/message.h"
#include "table/layout/family_settings.h"

namespace bloomery {
namespace {

constexpr std::array<std::string_view, 7> kSettings = {
    "VERSIONS", "MIN_VERSIONS", "TTL", "KEEP_DELETED_CELLS", "NEW_VERSION_BEHAVIOR", "BLOOMFILTER", "IS_MOB"};

Error refused_text(std::string_view text, const std::string& expected) {
  return Error::invalid_argument("family",
                                 message("expected ", expected, ", found '", escape_bytes(text), "'"));
}

Status add_setting(FamilySchema& family, std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  if (equals == std::string_view::npos || equals + 1 == word.size()) {
    return refused_text(word, "NAME=VALUE");
  }
  if (std::ranges::find(kSettings, name) == kSettings.end()) {
    return refused_text(
        name, "VERSIONS, MIN_VERSIONS, TTL, KEEP_DELETED_CELLS, NEW_VERSION_BEHAVIOR, BLOOMFILTER or IS_MOB");
  }
  const std::string_view value = word.substr(equals + 1);
  const bool is_forever = name == "TTL" && value == "FOREVER";
  if (!family.settings.emplace(name, is_forever ? "-1" : value).second) {
    return refused_text(name, "each setting once");
  }
  return {};
}

}  // namespace

Result<FamilySchema> parse_family_schema(std::string_view text) {
  const std::size_t colon = text.find(':');
  FamilySchema family{.name = std::string(text.substr(0, colon))};
  if (family.name.empty()) {
    return refused_text(text, "the name of a family, perhaps with :SETTING=VALUE,...");
  }
  std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    BLOOMERY_RETURN_IF_ERROR(add_setting(family, rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  if (const Status read = table::read_family_settings(family, {}, 0); !read) {
    return Error::invalid_argument("family", read.error().detail());
  }
  return family;
}

}  // namespace bloomery
