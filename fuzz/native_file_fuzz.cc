// Native files made of anything: opening answers an error or a filter that works; it never crashes, hangs or
// allocates by what a header claims. Half of the inputs get their checksums made right first, so that what
// lies behind is reached.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bloomery/filter/any_filter.h"

namespace {

using namespace bloomery;

constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;

// Cuts the first `size` bytes off, or as many as there are.
std::span<std::byte> take(std::span<std::byte>& rest, std::uint64_t size) {
  const std::span<std::byte> taken = rest.first(std::min<std::uint64_t>(size, rest.size()));
  rest = rest.subspan(taken.size());
  return taken;
}

void make_checksums_right(std::span<std::byte> file) {
  if (file.size() < 192) {
    return;
  }
  std::span<std::byte> rest = file.subspan(192);
  const std::span<std::byte> payload = take(rest, load_little64(file.data() + 88));
  make_checksums_right(take(rest, load_little64(file.data() + 152)));  // the exception column
  const std::span<std::byte> exceptions = take(rest, load_little64(file.data() + 160));
  const bool sharded = load_little16(file.data() + 16) == 3 || load_little16(file.data() + 16) == 9;
  const std::uint64_t covered =
      sharded ? std::uint64_t{load_little32(file.data() + 132)} * 16 : payload.size();
  store_little(file.data() + 112, crc32c(payload.first(std::min<std::uint64_t>(covered, payload.size()))));
  store_little(file.data() + 116, crc32c(rest));
  store_little(file.data() + 176, crc32c(exceptions));
  store_little(file.data() + 188, crc32c(file.first(188)));
}

// It forgets by the clock, so two questions may have two answers.
bool forgets_by_itself(const AnyFilter& filter) {
  const auto* const windowed = std::get_if<WindowedFilter>(&filter.variant());
  return windowed != nullptr && windowed->window().kind == WindowKind::kAge;
}

// It would become a filter as large as its plan says, which only a user's memory bounds.
bool becomes_large(const AnyFilter& filter) {
  const auto* const set = std::get_if<ExactSet>(&filter.variant());
  const auto size = set == nullptr ? Result<PlannedSize>(PlannedSize()) : planned_size(set->plan());
  return size && size->bits / 8 > kMostBytes;
}

void use(AnyFilter filter) {
  if (becomes_large(filter)) {
    return;
  }
  const bool steady = !forgets_by_itself(filter);
  const Hash128 key = hash_key("a key", HashSpec{});
  const bool known = filter.may_contain(key);
  const bool exact = std::holds_alternative<ExactSet>(filter.variant());  // it has keys, not bits
  if (!filter.is_static()) {
    const bool inserted = filter.insert(key);
    if (filter.native().byte_size() > kMostBytes) {  // a next layer as its plan says: not to be written out
      return;
    }
    if ((steady && inserted && !filter.may_contain(key)) ||
        (steady && known && !exact && filter.native().set_bit_count() == 0)) {
      std::abort();
    }
  }
  if (filter.can_remove()) {  // what was in before, and what was inserted
    std::vector<std::uint64_t> answers(1);
    filter.remove_batch({&key, 1}, answers);
    (void)filter.insert(key);
  }
  const bool is_in = filter.may_contain(key);
  std::string bytes;
  filter.native().serialize(bytes);
  const auto again = AnyFilter::view(std::as_bytes(std::span(bytes)),
                                     {.access = Access::kCopy, .recorded_keys = RecordedKeys::kKnown});
  if (!again || (steady && is_in && !again->may_contain(key)) ||
      again->native().inserted() != filter.native().inserted()) {
    std::abort();
  }
  if (filter.native().hash_spec().id != HashId::kReadyDigest) {
    const Hash128 stranger = hash_key("a stranger", HashSpec{});
    if (!filter.add_as_exceptions({&stranger, 1}) || filter.may_contain(stranger)) {
      std::abort();
    }
  }
  (void)filter.current_fpp();
  (void)filter.estimated_count();
  (void)filter.over_capacity();
}

// Every kind of place a key can have: kernels must read inside the payload.
void ask_many(const AnyFilter& filter) {
  std::vector<Hash128> hashes(200);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    hashes[i] = hash_key(static_cast<std::uint64_t>(i), HashSpec{});
  }
  hashes.front().low = 0;
  hashes.back().low = ~std::uint64_t{0};
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  filter.may_contain_batch(hashes, answers);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (!forgets_by_itself(filter) &&
        filter.may_contain(hashes[i]) != (((answers[i / 64] >> (i % 64)) & 1) != 0)) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::vector<std::byte> file(size - 1);
  if (size > 1) {
    std::memcpy(file.data(), data + 1, size - 1);
  }
  if (data[0] % 2 == 0) {
    make_checksums_right(file);
  }
  auto filter = AnyFilter::view(
      file,
      {.access = Access::kCopy, .recorded_keys = RecordedKeys::kKnown, .accept_dirty = data[0] % 4 == 0});
  // A ribbon's shards are then believed whatever they say, which is what its kernels must stand.
  auto unverified = AnyFilter::view(
      file, {.access = Access::kCopy, .verify = Verify::kHeaderOnly, .recorded_keys = RecordedKeys::kKnown});
  if (unverified) {
    ask_many(*unverified);
  }
  if (filter) {
    use(std::move(*filter));
  } else if (filter.error().to_string().empty()) {
    std::abort();
  }
  return 0;
}
