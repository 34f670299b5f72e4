// Any bytes as the index of an sstable of Cassandra in the format big:
//
//   Index.db with vints and with fixed sizes       Summary.db       the text of a digest
//
// Entries are inside the file and follow each other; positions ascend.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "codec/cassandra/data_digest.h"
#include "codec/cassandra/index_entries.h"
#include "codec/cassandra/index_summary.h"

namespace {

using namespace bloomery;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void read_index(std::span<const std::byte> file, const char* version) {
  IndexEntries entries(file, *cassandra_layout(version));
  std::uint64_t end = 0;
  std::uint64_t position = 0;
  while (entries.next()) {
    require(entries.begin() == end && entries.end() > end && entries.end() <= file.size());
    require(end == 0 || entries.position() > position);
    require(entries.key().size() < entries.end() - entries.begin());
    end = entries.end();
    position = entries.position();
  }
  require(!entries.status() || end == file.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  read_index(file, "nb");
  read_index(file, "la");
  if (const auto summary = read_index_summary(file)) {
    require(summary->first_key.size() + summary->last_key.size() < size);
  }
  (void)read_data_digest({reinterpret_cast<const char*>(data), size});
  return 0;
}
