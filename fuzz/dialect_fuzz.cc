// Any bytes as a file of every dialect, also where doubt is accepted (`forced`): opening answers an error or a filter
// that works. It never crashes, hangs or allocates by what a header claims. What opens is asked, filled, written and
// opened again. Also as a LevelDB manifest.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "bloomery/dialects/dialects.h"
#include "codec/leveldb/manifest.h"

namespace {

using namespace bloomery;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// Keys of even length, which every dialect takes, and two of 8 bytes, which are integers.
const std::vector<std::string_view> kKeys = {"",         "ab",          "a longer key of 22 bytes", "key000",
                                             "8 bytes.", "integer\xff", "\xff\xfe\x80\x81"};

std::uint64_t ask(const DialectFilter& filter) {
  std::array<std::uint64_t, 1> answers{};
  filter.may_contain_batch(kKeys, answers);
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    require(filter.may_contain(kKeys[i]) == ((answers[0] >> i & 1) != 0));
  }
  return answers[0];
}

std::string bytes_of(const DialectFilter& filter) {
  std::string bytes;
  require(filter.append_to(bytes).has_value());
  return bytes;
}

// A chain of RedisBloom's may grow by 32,768 times what it has.
bool takes_keys(const DialectFilter& filter) {
  return !filter.is_static() && (filter.dialect() != "redisbloom" || filter.facts().bits < 2048);
}

// The name that opens also what no writer makes.
std::string forced(const std::string& name) {
  if (name.starts_with("parquet")) {
    return name;  // whose options are columns
  }
  return name + (name.find(':') == std::string::npos ? ":forced" : ",forced");
}

void use(DialectFilter& filter) {
  const std::uint64_t before = ask(filter);
  const DialectFacts facts = filter.facts();
  require(facts.set_bits <= facts.bits);
  if (facts.set_bits % 16 == 0) {  // keys are sampled, which takes a second under the sanitizers
    const double fpp = filter.current_fpp();
    require(fpp >= 0 && fpp <= 1);
  }
  (void)filter.estimated_count();
  if (takes_keys(filter)) {
    const bool all_in = filter.insert_batch(kKeys).has_value();  // a full filter takes some
    require((ask(filter) & before) == before);
    require(!all_in || ask(filter) == (1U << kKeys.size()) - 1);
  }
  const std::string bytes = bytes_of(filter);
  const auto again = view_dialect(std::as_bytes(std::span(bytes)), forced(filter.dialect()));
  require(again.has_value());
  require(ask(**again) == ask(filter));
  require(bytes_of(**again) == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  // Also what no bytes are recognised as.
  std::vector<std::string> names = {"",
                                    "cassandra:la",
                                    "cassandra:me",
                                    "cassandra:nb",
                                    "leveldb:raw",
                                    "simple-java:bits=1024,words",
                                    "simple-java:bits=16384,seeds8"};
  for (const RecognisedDialect& found : recognise_dialects(file)) {
    names.push_back(found.name);
  }
  for (const DialectDescription& dialect : dialects()) {
    names.emplace_back(dialect.name);
  }
  for (std::size_t i = names.size(); i-- > 1;) {
    names.push_back(forced(names[i]));
  }
  for (const std::string& name : names) {
    const auto filter = view_dialect(file, name);
    if (filter) {
      use(**filter);
    } else {
      require(!filter.error().to_string().empty());
    }
  }
  (void)comparator_in_manifest(file);
  return 0;
}
