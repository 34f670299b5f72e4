#include "table/layout/hbase_messages.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nettle/md5.h>
#include <span>
#include <utility>

#include "base/byte_text.h"
#include "base/endian.h"
#include "base/message.h"
#include "hfile/protobuf_reader.h"
#include "table/layout/family_settings.h"

namespace bloomery::table {
namespace {

using hfile::ProtobufField;

// Calls `take(field)` for each field of the message.
template <typename Take>
Status for_each_field(std::string_view message, const char* subject, std::uint64_t place, Take take) {
  hfile::ProtobufReader reader(std::as_bytes(std::span(message)), subject, place);
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::optional<ProtobufField> field, reader.next());
    if (!field) {
      return {};
    }
    BLOOMERY_RETURN_IF_ERROR(take(*field));
  }
}

// The bytes of a field and their offset in the file.
struct Part {
  std::string_view bytes;
  std::uint64_t place;
};

Result<Part> part_of(const ProtobufField& field, const char* subject) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string_view bytes, hfile::bytes_in(field, subject));
  std::uint64_t head = 1;
  for (std::uint64_t number = field.number >> 4; number != 0; number >>= 7) {
    ++head;
  }
  for (std::uint64_t size = bytes.size(); size >= 0x80; size >>= 7) {
    ++head;
  }
  return Part{bytes, field.offset + head + 1};
}

Status take_text(const ProtobufField& field, const char* subject, std::string& to) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string_view bytes, hfile::bytes_in(field, subject));
  to = bytes;
  return {};
}

Status take_number(const ProtobufField& field, const char* subject, std::uint64_t& to) {
  BLOOMERY_ASSIGN_OR_RETURN(to, hfile::integer_in(field, subject));
  return {};
}

Status take_bool(const ProtobufField& field, const char* subject, bool& to) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t number, hfile::integer_in(field, subject));
  to = number != 0;
  return {};
}

Error missing(const char* subject, std::uint64_t place, const char* field) {
  return Error::corruption(subject, place, message("a field '", field, "'"), "none");
}

Status take_setting(const ProtobufField& field, const char* subject, SettingMap& settings) {
  BLOOMERY_ASSIGN_OR_RETURN(const Part part, part_of(field, subject));
  std::string name;
  std::string value;
  BLOOMERY_RETURN_IF_ERROR(for_each_field(part.bytes, subject, part.place, [&](const ProtobufField& inner) {
    return inner.number == 1   ? take_text(inner, subject, name)
           : inner.number == 2 ? take_text(inner, subject, value)
                               : Status();
  }));
  settings.insert_or_assign(std::move(name), std::move(value));
  return {};
}

Status take_table_name(const ProtobufField& field, const char* subject, TableName& table) {
  BLOOMERY_ASSIGN_OR_RETURN(const Part part, part_of(field, subject));
  return for_each_field(part.bytes, subject, part.place, [&](const ProtobufField& inner) {
    return inner.number == 1   ? take_text(inner, subject, table.name_space)
           : inner.number == 2 ? take_text(inner, subject, table.name)
                               : Status();
  });
}

constexpr const char* kSchema = "table descriptor";
constexpr const char* kRegion = "region info";
constexpr const char* kReference = "reference";
constexpr const char* kDescription = "snapshot description";
constexpr const char* kManifest = "snapshot manifest";
constexpr const char* kTracked = "list of store files";
constexpr const char* kCompaction = "list of compacted files";

Result<FamilySchema> parse_family(const Part& part) {
  FamilySchema family;
  BLOOMERY_RETURN_IF_ERROR(for_each_field(part.bytes, kSchema, part.place, [&](const ProtobufField& field) {
    switch (field.number) {
      case 1:
        return take_text(field, kSchema, family.name);
      case 2:
        return take_setting(field, kSchema, family.settings);
      case 3:
        return take_setting(field, kSchema, family.configuration);
      default:
        return Status();
    }
  }));
  if (family.name.empty() || family.name.size() > 127) {
    return missing(kSchema, part.place, "name of a family");
  }
  return family;
}

}  // namespace

Result<TableName> TableName::parse(std::string_view text) {
  TableName table;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    table.name_space = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  table.name = text;
  const auto is_name = [](std::string_view part) {
    return !part.empty() && part.front() != '.' && part.find('/') == std::string_view::npos &&
           part.find(':') == std::string_view::npos && part.find('\0') == std::string_view::npos;
  };
  if (!is_name(table.name) || !is_name(table.name_space)) {
    return Error::invalid_argument(
        "table", message("expected NAMESPACE:NAME or NAME, found '", escape_bytes(text), "'"));
  }
  return table;
}

std::string TableName::text() const {
  return name_space == "default" ? name : message(name_space, ":", name);
}

std::string RegionInfo::encoded_name() const {
  const std::string name = message(table.text(), ",", start, ",", id);
  md5_ctx context;
  md5_init(&context);
  md5_update(&context, name.size(), reinterpret_cast<const std::uint8_t*>(name.data()));
  std::array<std::uint8_t, MD5_DIGEST_SIZE> digest = {};
  md5_digest(&context, digest.size(), digest.data());
  std::string hex;
  for (const std::uint8_t byte : digest) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

Status take_magic(std::string_view& bytes, const char* subject, std::uint64_t& place) {
  constexpr std::string_view kMagic = "PBUF";
  if (!bytes.starts_with(kMagic)) {
    return Error::corruption(subject, place, "PBUF", message("'", escape_bytes(bytes.substr(0, 4)), "'"));
  }
  bytes.remove_prefix(kMagic.size());
  place += kMagic.size();
  return {};
}

Result<TableSchema> parse_table_schema(std::string_view bytes, std::uint64_t place) {
  TableName name;
  TableSchema schema;
  BLOOMERY_RETURN_IF_ERROR(for_each_field(bytes, kSchema, place, [&](const ProtobufField& field) -> Status {
    switch (field.number) {
      case 1:
        return take_table_name(field, kSchema, name);
      case 2:
        return take_setting(field, kSchema, schema.settings);
      case 3: {
        BLOOMERY_ASSIGN_OR_RETURN(const Part part, part_of(field, kSchema));
        BLOOMERY_ASSIGN_OR_RETURN(FamilySchema family, parse_family(part));
        schema.families.push_back(std::move(family));
        return {};
      }
      case 4:
        return take_setting(field, kSchema, schema.configuration);
      default:
        return {};
    }
  }));
  if (name.name.empty() || schema.families.empty()) {
    return missing(kSchema, place, name.name.empty() ? "name" : "family");
  }
  schema.name_space = name.name_space;
  schema.name = name.name;
  SettingMap of_table = schema.settings;
  of_table.insert(schema.configuration.begin(), schema.configuration.end());
  for (FamilySchema& family : schema.families) {
    BLOOMERY_RETURN_IF_ERROR(read_family_settings(family, of_table, place));
  }
  std::ranges::sort(schema.families, {}, &FamilySchema::name);
  if (const auto twice = std::ranges::adjacent_find(schema.families, {}, &FamilySchema::name);
      twice != schema.families.end()) {
    return Error::corruption(kSchema, place, "each family once",
                             message("two of ", escape_bytes(twice->name)));
  }
  return schema;
}

Result<RegionInfo> parse_region_info(std::string_view bytes, std::uint64_t place) {
  RegionInfo region;
  bool has_id = false;
  BLOOMERY_RETURN_IF_ERROR(for_each_field(bytes, kRegion, place, [&](const ProtobufField& field) {
    switch (field.number) {
      case 1:
        has_id = true;
        return take_number(field, kRegion, region.id);
      case 2:
        return take_table_name(field, kRegion, region.table);
      case 3:
        return take_text(field, kRegion, region.start);
      case 4:
        return take_text(field, kRegion, region.end);
      case 5:
        return take_bool(field, kRegion, region.is_offline);
      case 6:
        return take_bool(field, kRegion, region.is_split);
      case 7:
        return take_number(field, kRegion, region.replica);
      default:
        return Status();
    }
  }));
  if (!has_id || region.table.name.empty()) {
    return missing(kRegion, place, has_id ? "table" : "id");
  }
  if (!region.end.empty() && region.end <= region.start) {
    return Error::corruption(kRegion, place, "a start key before the end key",
                             message(escape_bytes(region.start), " and ", escape_bytes(region.end)));
  }
  return region;
}

Result<RegionInfo> parse_region_info_file(std::string_view bytes) {
  std::uint64_t place = 0;
  BLOOMERY_RETURN_IF_ERROR(take_magic(bytes, kRegion, place));
  BLOOMERY_ASSIGN_OR_RETURN(const hfile::DelimitedMessage found,
                            hfile::read_delimited(std::as_bytes(std::span(bytes)), kRegion, place));
  const std::size_t head = found.size_bytes - found.message.size();
  return parse_region_info(bytes.substr(head, found.message.size()), place + head);
}

// The split key is the first key of a row: u16 length, row, and constant fields.
Result<FileHalf> parse_reference(std::string_view bytes, std::uint64_t place) {
  std::string key;
  std::optional<std::uint64_t> range;
  BLOOMERY_RETURN_IF_ERROR(
      for_each_field(bytes, kReference, place, [&](const ProtobufField& field) -> Status {
        if (field.number == 1) {
          return take_text(field, kReference, key);
        }
        if (field.number == 2) {
          BLOOMERY_ASSIGN_OR_RETURN(range, hfile::integer_in(field, kReference));
        }
        return {};
      }));
  if (!range || *range > 1) {
    return Error::corruption(kReference, place, "a range of 0 or 1", range ? message(*range) : "none");
  }
  const std::size_t size = key.size() < 2 ? 0 : load_big16(reinterpret_cast<const std::byte*>(key.data()));
  if (key.size() < 2 || size > key.size() - 2) {
    return Error::corruption(kReference, place, "a split key", message(key.size(), " other bytes"));
  }
  return FileHalf{.row = key.substr(2, size), .is_top = *range == 0};
}

Result<FileHalf> parse_reference_file(std::string_view bytes) {
  std::uint64_t place = 0;
  BLOOMERY_RETURN_IF_ERROR(take_magic(bytes, kReference, place));
  return parse_reference(bytes, place);
}

Result<SnapshotDescription> parse_snapshot_description(std::string_view bytes) {
  SnapshotDescription snapshot;
  std::string table;
  std::uint64_t creation_time = 0;
  std::uint64_t time_to_live = 0;
  BLOOMERY_RETURN_IF_ERROR(for_each_field(bytes, kDescription, 0, [&](const ProtobufField& field) {
    switch (field.number) {
      case 1:
        return take_text(field, kDescription, snapshot.name);
      case 2:
        return take_text(field, kDescription, table);
      case 3:
        return take_number(field, kDescription, creation_time);
      case 5:
        return take_number(field, kDescription, snapshot.version);
      case 8:
        return take_number(field, kDescription, time_to_live);
      default:
        return Status();
    }
  }));
  if (snapshot.name.empty() || table.empty()) {
    return missing(kDescription, 0, snapshot.name.empty() ? "name" : "table");
  }
  const auto name = TableName::parse(table);
  if (!name) {
    return Error::corruption(kDescription, 0, name.error().detail());
  }
  snapshot.table = *name;
  snapshot.creation_time = static_cast<std::int64_t>(creation_time);
  snapshot.time_to_live = static_cast<std::int64_t>(time_to_live);
  return snapshot;
}

namespace {

Result<ManifestFile> parse_manifest_file(const Part& part) {
  ManifestFile file;
  BLOOMERY_RETURN_IF_ERROR(
      for_each_field(part.bytes, kManifest, part.place, [&](const ProtobufField& field) -> Status {
        if (field.number == 1) {
          return take_text(field, kManifest, file.name);
        }
        if (field.number == 2) {
          BLOOMERY_ASSIGN_OR_RETURN(const Part inner, part_of(field, kManifest));
          BLOOMERY_ASSIGN_OR_RETURN(file.half, parse_reference(inner.bytes, inner.place));
        }
        return field.number == 3 ? take_number(field, kManifest, file.size_bytes) : Status();
      }));
  return file.name.empty() ? Result<ManifestFile>(missing(kManifest, part.place, "name of a file"))
                           : std::move(file);
}

Result<ManifestFamily> parse_manifest_family(const Part& part) {
  ManifestFamily family;
  BLOOMERY_RETURN_IF_ERROR(
      for_each_field(part.bytes, kManifest, part.place, [&](const ProtobufField& field) -> Status {
        if (field.number == 1) {
          return take_text(field, kManifest, family.name);
        }
        if (field.number == 2) {
          BLOOMERY_ASSIGN_OR_RETURN(const Part inner, part_of(field, kManifest));
          BLOOMERY_ASSIGN_OR_RETURN(ManifestFile file, parse_manifest_file(inner));
          family.files.push_back(std::move(file));
        }
        return {};
      }));
  return family.name.empty() ? Result<ManifestFamily>(missing(kManifest, part.place, "name of a family"))
                             : std::move(family);
}

Result<ManifestRegion> parse_manifest_region(const Part& part) {
  ManifestRegion region;
  BLOOMERY_RETURN_IF_ERROR(
      for_each_field(part.bytes, kManifest, part.place, [&](const ProtobufField& field) -> Status {
        if (field.number == 2) {
          BLOOMERY_ASSIGN_OR_RETURN(const Part inner, part_of(field, kManifest));
          BLOOMERY_ASSIGN_OR_RETURN(region.region, parse_region_info(inner.bytes, inner.place));
        } else if (field.number == 3) {
          BLOOMERY_ASSIGN_OR_RETURN(const Part inner, part_of(field, kManifest));
          BLOOMERY_ASSIGN_OR_RETURN(ManifestFamily family, parse_manifest_family(inner));
          region.families.push_back(std::move(family));
        }
        return {};
      }));
  return region.region.table.name.empty()
             ? Result<ManifestRegion>(missing(kManifest, part.place, "region info"))
             : std::move(region);
}

}  // namespace

Result<SnapshotManifest> parse_snapshot_manifest(std::string_view bytes) {
  SnapshotManifest manifest;
  BLOOMERY_RETURN_IF_ERROR(for_each_field(bytes, kManifest, 0, [&](const ProtobufField& field) -> Status {
    if (field.number == 1) {
      BLOOMERY_ASSIGN_OR_RETURN(const Part part, part_of(field, kManifest));
      BLOOMERY_ASSIGN_OR_RETURN(manifest.schema, parse_table_schema(part.bytes, part.place));
    } else if (field.number == 2) {
      BLOOMERY_ASSIGN_OR_RETURN(const Part part, part_of(field, kManifest));
      BLOOMERY_ASSIGN_OR_RETURN(ManifestRegion region, parse_manifest_region(part));
      manifest.regions.push_back(std::move(region));
    }
    return {};
  }));
  return manifest.schema.name.empty() ? Result<SnapshotManifest>(missing(kManifest, 0, "table descriptor"))
                                      : std::move(manifest);
}

Result<TrackedFiles> parse_tracked_files(std::string_view bytes, std::uint64_t place) {
  TrackedFiles files;
  BLOOMERY_RETURN_IF_ERROR(for_each_field(bytes, kTracked, place, [&](const ProtobufField& field) -> Status {
    switch (field.number) {
      case 1:
        return take_number(field, kTracked, files.timestamp);
      case 2: {
        BLOOMERY_ASSIGN_OR_RETURN(const Part part, part_of(field, kTracked));
        TrackedFile file;
        BLOOMERY_RETURN_IF_ERROR(
            for_each_field(part.bytes, kTracked, part.place, [&](const ProtobufField& inner) {
              return inner.number == 1   ? take_text(inner, kTracked, file.name)
                     : inner.number == 2 ? take_number(inner, kTracked, file.size_bytes)
                                         : Status();
            }));
        if (file.name.empty()) {
          return missing(kTracked, part.place, "name of a file");
        }
        files.files.push_back(std::move(file));
        return {};
      }
      case 3:
        return take_number(field, kTracked, files.version);
      default:
        return {};
    }
  }));
  return files;
}

Result<std::vector<std::string>> parse_compaction_event(std::string_view bytes, std::uint64_t place) {
  std::vector<std::string> names;
  BLOOMERY_RETURN_IF_ERROR(take_magic(bytes, kCompaction, place));
  BLOOMERY_RETURN_IF_ERROR(
      for_each_field(bytes, kCompaction, place, [&](const ProtobufField& field) -> Status {
        return field.number == 1 ? take_text(field, kCompaction, names.emplace_back()) : Status();
      }));
  return names;
}

}  // namespace bloomery::table
