#include "codec/cassandra/component_file.h"

#include <cstdint>
#include <span>

#include "base/file.h"
#include "base/message.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

}  // namespace

Result<std::string> read_component(const std::string& path) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if (facts.size_bytes > kMostBytes) {
    return Error::capacity(path,
                           message("expected at most ", kMostBytes, " bytes, found ", facts.size_bytes));
  }
  std::string bytes(facts.size_bytes, '\0');
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

Result<std::optional<SSTableStatistics>> statistics_beside(const std::string& path, const SSTableName& name,
                                                           const CassandraLayout& layout) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const std::string beside = folder + name.prefix + "Statistics.db";
  const Result<std::string> bytes = read_component(beside);
  if (!bytes) {
    return bytes.error().code() == ErrorCode::kNotFound
               ? Result<std::optional<SSTableStatistics>>(std::nullopt)
               : bytes.error();
  }
  return in_file(read_statistics(std::as_bytes(std::span(*bytes)), layout), beside);
}

}  // namespace bloomery
