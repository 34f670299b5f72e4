// A store's root with one file that has other bytes: it is refused, or what is read is what was written.
//
//   u8 file | u8 way | bytes
//   way 0     the bytes are the file
//   way 1     the same, with the checksums of STORE and of a tracker's list made right; then answers may be those
//             of another store, and are only asked for
//   way 2     edits of the file: u16 place | u8 change, which is added to the byte; a change of 0 cuts there
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "tests/store/simulated_store.h"

namespace {

using namespace bloomery;
using store::SimulatedStore;
using store::sim::SimulatedDisk;

constexpr int kRows = 8;

std::string row_of(int number) {
  return "row " + std::to_string(number);
}

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// A closed store: half of its rows are in a file, and half in the log alone.
std::unique_ptr<SimulatedDisk> make_root() {
  SimulatedStore machine(7, {.flushes_at_close = false});
  require(machine.create());
  {
    StoreTable table = machine.make_table("t", {"f"});
    for (int i = 0; i < kRows; ++i) {
      require(table.put(row_of(i), "f", "q", "value of " + row_of(i)).has_value());
      require(i != kRows / 2 || table.flush().has_value());
    }
  }
  require(machine.close());
  return machine.disk().clone();
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string with_checksum(const std::string& path, std::string text) {
  if (path.ends_with("/STORE")) {
    char end[16];
    (void)std::snprintf(end, sizeof(end), "end %08x\n", crc32c(bytes_of(text)));
    return text + end;
  }
  if (path.find("/.filelist/") == std::string::npos) {
    return text;
  }
  std::string list(4, '\0');
  store_big(reinterpret_cast<std::byte*>(list.data()), static_cast<std::uint32_t>(text.size()));
  list += text + std::string(4, '\0');
  const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  store_big(reinterpret_cast<std::byte*>(list.data() + list.size() - 4), static_cast<std::uint32_t>(sum));
  return list;
}

std::string edited(std::string text, std::string_view edits) {
  for (; edits.size() >= 3 && !text.empty(); edits.remove_prefix(3)) {
    const auto* const edit = reinterpret_cast<const std::byte*>(edits.data());
    const std::size_t place = load_big16(edit) % text.size();
    const auto change = static_cast<unsigned char>(edits[2]);
    if (change == 0) {
      text.resize(place);
    } else {
      text[place] = static_cast<char>(static_cast<unsigned char>(text[place]) + change);
    }
  }
  return text;
}

void read_all(SimulatedStore& machine, bool must_be_right) {
  const auto table = machine.store().table("t");
  require(table.has_value() || !must_be_right);
  for (int i = 0; table && i < kRows; ++i) {
    GetRequest get;
    get.row = row_of(i);
    const auto found = table->reader().get(get);
    require(!found || !must_be_right ||
            (found->size() == 1 && found->cells().front().cell().value == "value of " + row_of(i)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::unique_ptr<SimulatedDisk> root = make_root();
  static const std::vector<std::string> paths = root->all_files();
  if (size < 2) {
    return 0;
  }
  const std::string& path = paths[data[0] % paths.size()];
  const std::string given(reinterpret_cast<const char*>(data) + 2, size - 2);
  const unsigned way = data[1] % 3;
  const std::string old = root->read_all(path).value();
  const std::string bytes = way == 0 ? given : way == 1 ? with_checksum(path, given) : edited(old, given);
  auto disk = root->clone();
  require(disk->overwrite(path, bytes).has_value());
  SimulatedStore machine(99, {}, std::move(disk));
  if (!machine.open()) {
    require(!machine.error().empty());
    return 0;
  }
  read_all(machine, way != 1);
  if (auto table = machine.store().table("t"); table && table->put("new", "f", "q", "1")) {
    require(store::value_of(*table, "new", "f", "q") == "1");
  }
  return 0;
}
