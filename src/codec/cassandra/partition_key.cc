#include "codec/cassandra/partition_key.h"

#include <optional>
#include <string>
#include <utility>

#include "codec/cassandra/key_text.h"
#include "codec/cassandra/key_type.h"

namespace bloomery {
namespace {

class PartitionKey final : public KeyType {
 public:
  explicit PartitionKey(CassandraKeyType type) : type_(std::move(type)), name_(describe(type_)) {}

  const std::string& name() const override { return name_; }
  std::size_t parts() const override { return type_.columns.size(); }
  Status append(KeyWriter& writer, std::span<const std::string_view> texts) const override {
    return append_cassandra_key(writer, type_, texts);
  }
  bool takes(KeyForm) const override { return false; }
  Status check(std::span<const std::byte>) const override { return {}; }

 private:
  CassandraKeyType type_;
  std::string name_;
};

Result<CassandraKeyType> agreed_type(const KeyTypeSources& sources) {
  if (sources.given.empty()) {
    return in_file(parse_cassandra_key_type(*sources.recorded), "Statistics.db");
  }
  Result<CassandraKeyType> given = parse_cassandra_key_type(sources.given);
  if (!given) {
    return Error::invalid_argument(sources.option, given.error().detail());
  }
  if (!sources.recorded) {
    return given;
  }
  const Result<CassandraKeyType> known = parse_cassandra_key_type(*sources.recorded);
  if (!known || *known != *given) {
    return Error::invalid_argument(sources.option,
                                   "expected " + (known ? describe(*known) : *sources.recorded) +
                                       " as Statistics.db records it, found " + describe(*given));
  }
  return given;
}

}  // namespace

Result<std::shared_ptr<const KeyType>> cassandra_partition_key(const KeyTypeSources& sources) {
  BLOOMERY_ASSIGN_OR_RETURN(CassandraKeyType type, agreed_type(sources));
  std::shared_ptr<const KeyType> key = std::make_shared<const PartitionKey>(std::move(type));
  return key;
}

}  // namespace bloomery
