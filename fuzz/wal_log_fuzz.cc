// Any bytes as a write-ahead log: entries, an error or a torn end, never a crash, a hang or an allocation that the bytes do
// not back. What was read of a log without compression can be written, and is then read alike.
//
// The first byte says how the rest is read: bit 0 as a file of recovered.edits, bit 1 despite a damaged header, bit 2 after
// the header of a sealed log, bit 3 after the header of a compressed log, bit 4 with a mark.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "tests/hfile/memory_files.h"
#include "wal/log_reader.h"
#include "wal/log_writer.h"

namespace {

using namespace bloomery;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

std::string front_of(unsigned flags) {
  wal::LogHeader header;
  if ((flags & 4) != 0) {
    header.seal = wal::Seal{};
  } else if ((flags & 8) != 0) {
    header.is_compressed = header.has_compressed_tags = header.has_compressed_values = true;
    header.value_compression = hfile::Compression::kGz;
  } else {
    return "";
  }
  hfile::ByteWriter out;
  append_log_header(out, header);
  return std::string(out.text());
}

wal::LogReadOptions options_of(unsigned flags) {
  wal::LogReadOptions options{
      .kind = (flags & 1) != 0 ? wal::LogKind::kRecoveredEdits : wal::LogKind::kServerLog,
      .max_entry_bytes = std::uint64_t{1} << 20,
      .memory = {.limit_bytes = std::uint64_t{64} << 20},
      .despite_header = (flags & 2) != 0};
  if ((flags & 16) != 0) {
    options.mark = wal::LogMark{.length = 200, .link = 1};
  }
  return options;
}

// Reads all entries and passes them to `use`. Returns how many there were.
template <typename Use>
std::uint64_t read_entries(const std::string& log, const wal::LogReadOptions& options, Use use) {
  MemoryFiles files(log);
  auto reader = wal::LogReader::open(files, "fuzz", options);
  while (reader) {
    const std::uint64_t before = reader->position();
    const auto found = reader->next();
    if (found && *found) {
      require(reader->position() > before);
      use(reader->entry());
    } else if (found || !reader->skip_damage()) {
      return reader->entries();
    }
  }
  return 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const unsigned flags = data[0];
  const std::string log = front_of(flags) + std::string(reinterpret_cast<const char*>(data + 1), size - 1);
  for (const bool sealed : {false, true}) {
    hfile::ByteWriter out;
    wal::LogHeader header;
    header.seal = sealed ? std::optional(wal::Seal{}) : std::nullopt;
    wal::LogWriter writer(out, header);
    read_entries(log, options_of(flags),
                 [&](const wal::LogEntry& entry) { require(writer.append(entry).has_value()); });
    writer.close();
    const std::uint64_t written = writer.entries();
    const auto kind =
        sealed ? wal::LogKind::kServerLog : wal::LogKind::kRecoveredEdits;  // entries may carry seals
    require(read_entries(std::string(out.text()), {.kind = kind}, [](const wal::LogEntry&) {}) == written);
  }
  return 0;
}
