// Parquet files of a few row groups whose footer and filters were changed. The format has no checksums, so all that
// is repaired is the footer's length.
//
//   "PAR1" filters | FileMetaData | u32 its length | "PAR1"
#include <cstdint>
#include <string>
#include <vector>

#include "base/endian.h"
#include "base/varint.h"
#include "bloomery/dialects/dialects.h"
#include "codec/parquet/column_list.h"
#include "codec/parquet/filter_header.h"
#include "fuzz/mutation.h"

namespace {

using namespace bloomery;
using fuzz::Random;
using fuzz::require;

std::string zigzag(std::int64_t value) {
  std::array<std::byte, kMaxVarintBytes> bytes;
  const std::uint64_t zigzagged =
      static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
  const std::size_t size = write_varint(bytes.data(), zigzagged);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

// A number as it should be, or, seldom, another.
std::int64_t maybe_changed(Random& random, std::int64_t value) {
  return random.one_in(12)
             ? static_cast<std::int64_t>(fuzz::changed_number(random, static_cast<std::uint64_t>(value)))
             : value;
}

// The greatest and the least value of a chunk: any bytes, seldom in order.
std::string statistics_bytes(Random& random) {
  const auto bound = [&random] {
    std::string bytes(random.one_in(3) ? random.below(10) : 4 * (1 + random.below(2)), '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(random.next());
    }
    return std::string(1, static_cast<char>(bytes.size())) + bytes;
  };
  return "\x7c\x58" + bound() + "\x18" + bound() + '\0';
}

std::string chunk_bytes(Random& random, std::size_t offset, std::size_t filter_bytes) {
  std::string bytes("\x3c\x15", 2);
  bytes += zigzag(maybe_changed(random, 6));                                 // physical type
  bytes += std::string("\x29\x18\x01", 3) + (random.one_in(8) ? 'c' : 'k');  // path
  bytes += "\x26" + zigzag(maybe_changed(random, 10));                       // values
  const bool has_statistics = random.one_in(2);
  bytes += has_statistics ? statistics_bytes(random) : "";
  if (!random.one_in(has_statistics ? 2 : 16)) {
    bytes +=
        (has_statistics ? "\x26" : "\x96") + zigzag(maybe_changed(random, static_cast<std::int64_t>(offset)));
    if (random.one_in(2)) {
      bytes += "\x15" + zigzag(maybe_changed(random, static_cast<std::int64_t>(filter_bytes)));
    }
  }
  return bytes + std::string(2, '\0');
}

// The schema: a root, and the column "k" of a type that often fits.
std::string schema_bytes(Random& random) {
  struct Type {
    int physical;
    const char* rest;  // the fields behind the name, hexadecimal
  };
  // Without more; STRING; INT(8) of INT32; DECIMAL(7, 2); TIMESTAMP(MICROS, UTC); FLOAT16; a FIXED(16) UUID.
  static constexpr Type kTypes[] = {{6, ""},
                                    {6,
                                     "2500"
                                     "4c1c0000"},
                                    {1,
                                     "251e"
                                     "4c"
                                     "ac"
                                     "1308"
                                     "11"
                                     "0000"},
                                    {6,
                                     "250a"
                                     "1504"
                                     "150e"
                                     "2c"
                                     "5c"
                                     "1504"
                                     "150e"
                                     "0000"},
                                    {2,
                                     "2514"
                                     "4c"
                                     "8c"
                                     "11"
                                     "1c"
                                     "2c"
                                     "00"
                                     "00"
                                     "00"
                                     "00"},
                                    {4, ""},
                                    {7,
                                     "6c"
                                     "ec"
                                     "0000"}};
  const Type& type = kTypes[random.below(std::size(kTypes))];
  std::string bytes = std::string("\x29\x2c", 2) +
                      "\x48\x04"
                      "root" +
                      "\x15" + zigzag(maybe_changed(random, 1)) + '\0';
  bytes += "\x15" + zigzag(maybe_changed(random, random.one_in(3) ? type.physical : 6));
  bytes += "\x15" + zigzag(maybe_changed(random, 16)) + "\x28\x01k";
  const std::string_view rest = type.rest;
  for (std::size_t i = 0; i < rest.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(rest.substr(i, 2)), nullptr, 16));
  }
  return bytes + '\0';
}

std::string make(Random& random) {
  std::string filters;
  std::string groups;
  const std::size_t count = random.below(6);
  std::size_t offset = 4;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bitset = 32 * (1 + random.below(4));
    std::string filter =
        parquet::filter_header_bytes(bitset) + std::string(bitset, static_cast<char>(random.next()));
    if (random.one_in(8)) {
      fuzz::change_bytes(random, filter);
    }
    if (i == 0 || !random.one_in(3)) {  // else it shares the one before
      offset = 4 + filters.size();
      filters += filter;
    }
    groups += std::string("\x19\x1c", 2) + chunk_bytes(random, offset, filter.size()) + "\x26" +
              zigzag(maybe_changed(random, 10)) + std::string(1, '\0');
  }
  const bool has_schema = !random.one_in(4);
  std::string metadata = (has_schema ? schema_bytes(random) + "\x16" : "\x36") +
                         zigzag(static_cast<std::int64_t>(count) * 10) + "\x19" +
                         static_cast<char>(count << 4 | 12) + groups;
  if (!random.one_in(4)) {  // created_by and column_orders
    metadata += "\x28\x11" + std::string("DuckDB version v1") + "\x19\x1c\x1c" + std::string(2, '\0');
  }
  metadata += '\0';
  for (std::size_t n = random.below(3); n > 0; --n) {
    fuzz::change_bytes(random, metadata);
  }
  std::string file = "PAR1" + filters + metadata + std::string(4, '\0') + "PAR1";
  store_little(reinterpret_cast<std::byte*>(file.data()) + file.size() - 8,
               static_cast<std::uint32_t>(metadata.size()));
  if (random.one_in(16)) {
    fuzz::change_bytes(random, file);
  }
  return random.one_in(8) ? filters : file;  // also filters by themselves
}

// A text becomes a value of the type's length. The filter answers maybe to it if one of its parts does.
void ask_by_value(const DialectFilter& filter) {
  const auto values = filter.key_type();
  for (const std::string_view text :
       {"0", "-1.25", "2024-02-29T12:00:00Z", "nan", "1970-01-01", "key000001"}) {
    KeyWriter writer;
    if (values && !values->append(writer, text)) {
      continue;
    }
    const std::string_view key(reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size());
    require(!values || values->check(writer.bytes()).has_value(), "a value of another length");
    std::uint64_t say = 0;
    filter.filters_say({&key, 1}, {&say, 1});
    const bool maybe = filter.may_contain(key);
    require(maybe || say == 0, "a maybe that was lost");
    std::vector<std::uint64_t> words(filter.part_count());
    filter.ask_parts({&key, 1}, words);
    for (const std::uint64_t word : words) {
      require(word == 0 || maybe, "a part that may have what the whole denies");
    }
  }
}

void ask(const std::string& file) {
  const auto bytes = std::as_bytes(std::span(file));
  (void)recognise_dialects(bytes);
  (void)parquet::list_columns(bytes);
  for (const char* const name : {"parquet", "parquet:k", "parquet:k,0"}) {
    const auto forced = view_dialect(bytes, name, {}, MissingFilters::kAnyKey);
    if (forced) {
      ask_by_value(**forced);
    }
    const auto filter = view_dialect(bytes, name);
    if (!filter) {
      require(!filter.error().to_string().empty(), "an error without words");
      continue;
    }
    const DialectFacts facts = (*filter)->facts();
    require(facts.set_bits <= facts.bits && facts.bits <= file.size() * 8, "more bits than the file has");
    const double fpp = (*filter)->current_fpp();
    require(fpp >= 0 && fpp <= 1, "an fpp that is none");
    (void)(*filter)->estimated_count();
    (void)(*filter)->may_contain("key000001");
    (void)(*filter)->may_contain("");
    std::string written;
    require((*filter)->append_to(written).has_value(), "a file that cannot be written");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bloomery::fuzz::run_mutator(argc, argv, {.name = "parquet", .make = make, .ask = ask});
}
