#include "verify/sstable.h"

#include <array>
#include <span>

#include "base/endian.h"
#include "base/memory_budget.h"
#include "codec/cassandra/component_file.h"
#include "dialects/whole_file.h"

namespace bloomery {

Result<SSTable> sstable_of(const std::string& path) {
  const std::optional<SSTableName> name = sstable_name_of(path);
  if (!name) {
    return Error::invalid_argument(
        path, "expected the name of a component of an sstable, such as nb-1-big-Filter.db");
  }
  BLOOMERY_ASSIGN_OR_RETURN(CassandraLayout layout, in_file(cassandra_layout(name->version), path));
  BLOOMERY_ASSIGN_OR_RETURN(auto statistics, statistics_beside(path, *name, layout));
  return SSTable{.folder = path.substr(0, path.rfind('/') + 1),
                 .name = *name,
                 .layout = std::move(layout),
                 .statistics = std::move(statistics)};
}

void add_sstable_error(Proof& proof, const Error& error) {
  const bool is_absent = error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kIo ||
                         error.code() == ErrorCode::kInvalidArgument;
  if (is_absent) {
    proof.add_unproven(error.to_string());
  } else {
    proof.add(error);
  }
}

Result<PartitionData> PartitionData::open(const SSTable& sstable, const FileMemory& memory) {
  if (!sstable.layout.has_vints) {
    return Error(ErrorCode::kUnsupported, sstable.path_of("Data.db"), "it is read from version ma on");
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto data_file, map_whole(sstable.path_of("Data.db")));
  const std::span<const std::byte> bytes = bytes_of_mapping(*data_file);
  std::vector<std::shared_ptr<MappedFile>> mappings = {data_file};
  std::optional<std::span<const std::byte>> info;
  const auto info_file = map_whole(sstable.path_of("CompressionInfo.db"));
  if (info_file) {
    info = bytes_of_mapping(**info_file);
    mappings.push_back(*info_file);
  } else if (info_file.error().code() != ErrorCode::kNotFound) {
    return info_file.error();
  }
  std::string subject = sstable.folder + sstable.name.prefix;
  BLOOMERY_ASSIGN_OR_RETURN(
      CompressedData data,
      in_file(CompressedData::open(bytes, info, sstable.layout, MemoryBudget::of_file(memory, bytes.size())),
              subject));
  PartitionData opened(std::move(subject), std::move(data));
  opened.mappings_ = std::move(mappings);
  return opened;
}

Status PartitionData::read_key(std::uint64_t position, std::string& key) {
  std::array<std::byte, 2> length;
  BLOOMERY_RETURN_IF_ERROR(in_file(data_.read(position, length), subject_));
  key.resize(load_big16(length.data()));
  return in_file(data_.read(position + length.size(), std::as_writable_bytes(std::span(key))), subject_);
}

Status PartitionData::status() const {
  for (const auto& mapping : mappings_) {
    BLOOMERY_RETURN_IF_ERROR(mapping->status());
  }
  return {};
}

}  // namespace bloomery
