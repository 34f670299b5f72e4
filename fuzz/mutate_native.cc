// Native files of every type whose header, payload, exceptions and metadata were changed, and whose checksums and
// sizes are right again.
//
//   header, 192 bytes | payload | exception column, a native file | exception table | metadata
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_plan.h"
#include "bloomery/filter/fuse_filter.h"
#include "bloomery/filter/ribbon_builder.h"
#include "filter/native/native_header.h"
#include "fuzz/mutation.h"

namespace {

using namespace bloomery;
using fuzz::Random;
using fuzz::require;

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20;

struct Parts {
  std::string header;
  std::array<std::string, 4> parts;  // payload, column, exceptions, metadata
};

std::byte* bytes_of(std::string& text) {
  return reinterpret_cast<std::byte*>(text.data());
}

constexpr std::array<std::size_t, 4> kSizeAt = {native_header::kPayloadBytesAt, native_header::kColumnBytesAt,
                                                native_header::kExceptionBytesAt,
                                                native_header::kMetadataBytesAt};

Parts parsed(const std::string& file) {
  Parts parts;
  parts.header = file.substr(0, kNativeHeaderBytes);
  std::size_t at = kNativeHeaderBytes;
  for (std::size_t i = 0; i < kSizeAt.size(); ++i) {
    const auto size = static_cast<std::size_t>(load_little64(bytes_of(parts.header) + kSizeAt[i]));
    parts.parts[i] = file.substr(at, size);
    at += size;
  }
  return parts;
}

// Sizes, the offset of the metadata, checksums.
std::string laid_out(Parts parts) {
  std::byte* const header = bytes_of(parts.header);
  std::uint64_t end = kNativeHeaderBytes;
  for (std::size_t i = 0; i < kSizeAt.size(); ++i) {
    store_little(header + kSizeAt[i], std::uint64_t{parts.parts[i].size()});
    if (i == 3) {
      store_little(header + native_header::kMetadataOffsetAt, end);
    }
    end += parts.parts[i].size();
  }
  const auto of = [&](std::size_t i) { return std::as_bytes(std::span(parts.parts[i])); };
  const bool is_sharded =
      is_static_type(static_cast<FilterType>(load_little16(header + native_header::kTypeAt)));
  const std::uint64_t covered =
      is_sharded ? shard_directory_bytes(load_little32(header + native_header::kHeldShardsAt)) : of(0).size();
  store_little(header + native_header::kPayloadChecksumAt,
               crc32c(of(0).first(std::min<std::uint64_t>(covered, of(0).size()))));
  store_little(header + native_header::kExceptionChecksumAt, crc32c(of(2)));
  store_little(header + native_header::kMetadataChecksumAt, crc32c(of(3)));
  store_little(header + native_header::kHeaderChecksumAt,
               crc32c(std::as_bytes(std::span(parts.header)).first(native_header::kHeaderChecksumAt)));
  std::string file = std::move(parts.header);
  for (const std::string& part : parts.parts) {
    file += part;
  }
  return file;
}

std::vector<Hash128> hashes_of(std::uint64_t begin, std::size_t count) {
  std::vector<Hash128> hashes(count);
  for (std::size_t i = 0; i < count; ++i) {
    hashes[i] = hash_key(begin + i, HashSpec{});
  }
  return hashes;
}

std::string serialized(const NativeFilter& filter) {
  std::string bytes;
  filter.serialize(bytes);
  return bytes;
}

std::vector<Parts> make_seeds() {
  std::vector<Parts> seeds;
  for (const FilterType type : {FilterType::kBloom, FilterType::kBlocked, FilterType::kCounting,
                                FilterType::kQuotient, FilterType::kScalable, FilterType::kWindowed}) {
    for (const std::uint64_t exact_below : {std::uint64_t{0}, std::uint64_t{50}}) {
      for (const std::size_t count : {std::size_t{0}, std::size_t{40}, std::size_t{150}}) {
        FilterPlan plan{.type = type, .capacity = 100, .fpp = 0.01};
        plan.exact_below = exact_below;
        if (type == FilterType::kWindowed) {
          plan.options.window = Window::keys(60);
        }
        auto filter = make_filter(plan);
        if (!filter) {
          continue;  // a type that is never exact
        }
        const auto hashes = hashes_of(0, count);
        (void)filter->insert_batch(hashes);
        if (count == 40) {
          const auto others = hashes_of(1000, 30);
          (void)filter->add_as_exceptions(others);
        }
        seeds.push_back(parsed(serialized(filter->native())));
      }
    }
  }
  for (const std::size_t count : {std::size_t{0}, std::size_t{100}}) {
    const auto hashes = hashes_of(0, count);
    auto fuse = FuseFilter::build_from_hashes(hashes, 0.01);
    if (fuse) {
      seeds.push_back(parsed(serialized(*fuse)));
    }
    auto ribbon = RibbonFilter::build_from_hashes(hashes, 0.01);
    if (ribbon) {
      seeds.push_back(parsed(serialized(*ribbon)));
    }
  }
  require(seeds.size() > 20, "too few seeds");
  return seeds;
}

void change_header(Random& random, std::string& header) {
  constexpr std::array<std::pair<std::size_t, std::size_t>, 22> kFields = {
      {{8, 4},   {12, 4},  {16, 2},  {18, 2},  {20, 2},  {22, 2}, {24, 2}, {26, 2},
       {28, 4},  {32, 8},  {40, 8},  {48, 8},  {56, 8},  {64, 8}, {72, 8}, {80, 8},
       {120, 2}, {122, 2}, {124, 4}, {128, 4}, {132, 4}, {168, 8}}};
  const auto [at, width] = kFields[random.below(kFields.size())];
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(header[at + i])} << (8 * i);
  }
  value = at == 56 && random.one_in(2)
              ? std::bit_cast<std::uint64_t>(1.0 / static_cast<double>(1 + random.below(1000)))
              : fuzz::changed_number(random, value);
  for (std::size_t i = 0; i < width; ++i) {
    header[at + i] = static_cast<char>(value >> (8 * i));
  }
}

std::string make(Random& random) {
  static const std::vector<Parts> seeds = make_seeds();
  Parts parts = seeds[random.below(seeds.size())];
  for (std::size_t n = 1 + random.below(3); n > 0; --n) {
    switch (random.below(6)) {
      case 0:
      case 1:
        change_header(random, parts.header);
        break;
      case 2:
        parts.parts[random.below(4)] = seeds[random.below(seeds.size())].parts[random.below(4)];
        break;
      default:
        fuzz::change_bytes(random, parts.parts[random.one_in(2) ? 0 : random.below(4)]);
    }
  }
  std::string file = laid_out(std::move(parts));
  if (random.one_in(16)) {
    fuzz::change_bytes(random, file);
  }
  return file;
}

// It would become a filter as large as its plan says, which is for its owner to want.
bool becomes_large(const AnyFilter& filter) {
  const auto* const set = std::get_if<ExactSet>(&filter.variant());
  const auto size = set == nullptr ? Result<PlannedSize>(PlannedSize()) : planned_size(set->plan());
  return !size || size->bits / 8 > kMostBytes;
}

void use(AnyFilter& filter) {
  const auto* const windowed = std::get_if<WindowedFilter>(&filter.variant());
  const bool is_steady = windowed == nullptr || windowed->window().kind != WindowKind::kAge;
  const Hash128 key = hash_key("a key", HashSpec{});
  if (!filter.is_static() && !becomes_large(filter)) {
    const bool is_in = filter.insert(key);
    require(!is_steady || !is_in || filter.may_contain(key), "a key that was inserted is denied");
  }
  if (filter.can_remove()) {
    std::vector<std::uint64_t> answers(1);
    filter.remove_batch({&key, 1}, answers);
  }
  const bool is_in = filter.may_contain(key);
  if (filter.native().byte_size() <= kMostBytes) {
    const std::string bytes = serialized(filter.native());
    const auto again = AnyFilter::view(std::as_bytes(std::span(bytes)),
                                       {.access = Access::kCopy, .recorded_keys = RecordedKeys::kKnown});
    require(again.has_value(), "what was written is not read");
    require(!is_steady || !is_in || again->may_contain(key), "a key is lost by writing");
  }
}

void ask(const std::string& bytes) {
  static const std::vector<Hash128> hashes = hashes_of(0, 70);
  for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
    auto filter = AnyFilter::view(std::as_bytes(std::span(bytes)), {.access = Access::kCopy,
                                                                    .verify = verify,
                                                                    .recorded_keys = RecordedKeys::kKnown,
                                                                    .accept_dirty = true});
    if (!filter) {
      require(!filter.error().to_string().empty(), "an error without words");
      continue;
    }
    std::array<std::uint64_t, 2> answers = {};
    filter->may_contain_batch(hashes, answers);
    const double fpp = filter->current_fpp();
    require(fpp >= 0 && fpp <= 1, "an fpp that is none");
    (void)filter->estimated_count();
    (void)filter->over_capacity();
    (void)filter->native().metadata();
    if (verify == Verify::kChecksums) {
      use(*filter);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bloomery::fuzz::run_mutator(argc, argv, {.name = "native", .make = make, .ask = ask});
}
