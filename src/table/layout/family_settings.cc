#include "table/layout/family_settings.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/byte_text.h"
#include "base/message.h"
#include "hash/ascii_text.h"
#include "table/layout/attributes.h"

namespace bloomery::table {
namespace {

constexpr const char* kDescriptorSubject = "table descriptor";

// The settings of a family, parsed from text. A family's own value overrides the table's.
class FamilySettings {
 public:
  FamilySettings(const FamilySchema& family, const SettingMap& of_table, std::uint64_t place)
      : family_(family), of_table_(of_table), place_(place) {}

  std::string_view text(std::string_view name, std::string_view fallback) const {
    for (const SettingMap* const own : {&family_.settings, &family_.configuration}) {
      if (const auto found = own->find(name); found != own->end()) {
        return found->second;
      }
    }
    const auto of_table = of_table_.find(name);
    return of_table != of_table_.end() ? std::string_view(of_table->second) : fallback;
  }
  Error wrong(std::string_view name, const std::string& expected) const {
    return Error::corruption(
        kDescriptorSubject, place_,
        message("of family ", escape_bytes(family_.name), " ", name, " to be ", expected),
        message("'", escape_bytes(text(name, "")), "'"));
  }
  Result<std::int64_t> number(std::string_view name, std::int64_t fallback, std::int64_t least) const {
    const std::string_view value = text(name, "");
    if (value.empty()) {
      return fallback;
    }
    const auto number = number_from_text<std::int64_t>(value);
    if (!number || *number < least || *number > std::numeric_limits<std::int32_t>::max()) {
      return wrong(name, message("a whole number from ", least, " on"));
    }
    return *number;
  }
  bool is_true(std::string_view name) const {
    std::string value(text(name, "false"));
    std::ranges::transform(value, value.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return value == "true";
  }

 private:
  const FamilySchema& family_;
  const SettingMap& of_table_;
  std::uint64_t place_;
};

Result<KeepDeletedCells> parse_keep_deleted(const FamilySettings& settings) {
  const std::string_view text = settings.text("KEEP_DELETED_CELLS", "FALSE");
  const auto is = [&](std::string_view name) {
    return std::ranges::equal(text, name, {}, [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  };
  if (is("FALSE")) {
    return KeepDeletedCells::kFalse;
  }
  if (is("TRUE")) {
    return KeepDeletedCells::kTrue;
  }
  if (is("TTL")) {
    return KeepDeletedCells::kTtl;
  }
  return settings.wrong("KEEP_DELETED_CELLS", "FALSE, TRUE or TTL");
}

// Parses TTL, in seconds. 2^31 - 1 and -1 mean forever.
Result<std::optional<std::int64_t>> parse_time_to_live(const FamilySettings& settings) {
  constexpr std::int64_t kForever = std::numeric_limits<std::int32_t>::max();
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t seconds, settings.number("TTL", kForever, -1));
  if (seconds == kForever || seconds == -1) {
    return std::optional<std::int64_t>();
  }
  return std::optional(seconds * 1000);
}

}  // namespace

Status read_family_settings(FamilySchema& family, const SettingMap& of_table, std::uint64_t place) {
  const FamilySettings settings(family, of_table, place);
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t versions, settings.number("VERSIONS", 1, 0));
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t min_versions, settings.number("MIN_VERSIONS", 0, 0));
  BLOOMERY_ASSIGN_OR_RETURN(family.time_to_live_ms, parse_time_to_live(settings));
  BLOOMERY_ASSIGN_OR_RETURN(family.keep_deleted, parse_keep_deleted(settings));
  family.versions = static_cast<std::int32_t>(versions);
  family.min_versions = static_cast<std::int32_t>(min_versions);
  family.has_new_version_behavior = settings.is_true("NEW_VERSION_BEHAVIOR");
  const std::string_view filter = settings.text("BLOOMFILTER", "ROW");
  family.uses_bloom_filters = filter != "NONE";
  family.chooses_filters =
      settings.text(kAutoFilter, "") == "AUTO" && (filter == "ROW" || filter == "ROWCOL");
  family.has_mob = settings.is_true("IS_MOB");
  family.file_tracker = settings.text("hbase.store.file-tracker.impl", "DEFAULT");
  return {};
}

}  // namespace bloomery::table
