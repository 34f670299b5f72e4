#include "table/layout/family_write_options.h"

#include "hash/ascii_text.h"
#include "table/layout/attributes.h"

namespace bloomery::table {
namespace {

// Returns the attribute's canonical text; an empty one if the family has none and it has no default.
Result<std::string> attribute_of(const FamilySchema& family, std::string_view name) {
  for (const SettingMap* const settings :
       {&family.settings, &family.configuration, &default_family_attributes()}) {
    if (const auto found = settings->find(name); found != settings->end()) {
      BLOOMERY_ASSIGN_OR_RETURN(Attribute attribute, parse_family_attribute(name, found->second));
      return std::move(attribute.value);
    }
  }
  return std::string();
}

Result<std::uint32_t> number_of_attribute(const FamilySchema& family, std::string_view name) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string text, attribute_of(family, name));
  return number_from_text<std::uint32_t>(text).value_or(0);
}

}  // namespace

Result<HFileWriteOptions> write_options_of(const FamilySchema& family) {
  HFileWriteOptions options;
  BLOOMERY_ASSIGN_OR_RETURN(options.block_bytes, number_of_attribute(family, "BLOCKSIZE"));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string compression, attribute_of(family, "COMPRESSION"));
  BLOOMERY_ASSIGN_OR_RETURN(options.compression, hfile::parse_compression(compression));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string encoding, attribute_of(family, "DATA_BLOCK_ENCODING"));
  BLOOMERY_ASSIGN_OR_RETURN(options.encoding, hfile::parse_data_encoding(encoding));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string bloom, attribute_of(family, "BLOOMFILTER"));
  BLOOMERY_ASSIGN_OR_RETURN(options.bloom.type, hfile::parse_bloom_type(bloom));
  BLOOMERY_ASSIGN_OR_RETURN(options.bloom.prefix_bytes,
                            number_of_attribute(family, "RowPrefixBloomFilter.prefix_length"));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string tags, attribute_of(family, "COMPRESS_TAGS"));
  options.tags_by_dictionary = tags == "true";
  return options;
}

}  // namespace bloomery::table
