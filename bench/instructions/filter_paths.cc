// The hot paths of our own filter types.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/instructions/inline_paths.h"
#include "bench/instructions/path.h"
#include "bench/instructions/workload.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/counting_bloom_filter.h"
#include "bloomery/filter/fuse_filter.h"
#include "bloomery/filter/key_batches.h"
#include "bloomery/filter/quotient_filter.h"
#include "bloomery/filter/ribbon_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_filter.h"

namespace bloomery::instructions {
namespace {

template <typename Filter, typename Keys>
void fill(Filter& filter, const Keys& keys) {
  for (const auto& key : keys) {
    if (!filter.insert(key)) {
      fail("a key was refused");
    }
  }
}

// Keys are hashes or integers.
template <typename Filter, typename Key>
Counted query_batch(const Filter& filter, const std::vector<Key>& keys) {
  const std::span<const Key> asked = keys;
  std::array<std::uint64_t, answer_words(kBatch)> answers;
  return counted(asked.size(), [&] {
    std::uint64_t all = 0;
    for (std::size_t at = 0; at < asked.size(); at += kBatch) {
      if constexpr (IntegerKey<Key>) {
        may_contain_keys(filter, asked.subspan(at, kBatch), answers);
      } else {
        filter.may_contain_batch(asked.subspan(at, kBatch), answers);
      }
      all += answers[0];
    }
    return all;
  });
}

template <typename Filter, typename Keys>
Counted insert(Filter& filter, const Keys& keys) {
  return counted(keys.size(), [&] {
    std::uint64_t inserted = 0;
    for (const auto& key : keys) {
      inserted += filter.insert(key) ? 1U : 0U;
    }
    return inserted;
  });
}

template <typename Filter>
Counted insert_batch(Filter& filter, std::span<const Hash128> hashes) {
  return counted(hashes.size(), [&] {
    std::uint64_t refused = 0;
    for (std::size_t at = 0; at < hashes.size(); at += kBatch) {
      refused += filter.insert_batch(hashes.subspan(at, kBatch), Sharing::kShared);
    }
    return refused;
  });
}

// Half of the keys are new.
template <typename Filter>
Counted test_and_insert(Filter& filter, std::span<const Hash128> hashes) {
  return counted(hashes.size(), [&] {
    std::uint64_t fresh = 0;
    for (const Hash128& hash : hashes) {
      fresh += filter.test_and_insert(hash) ? 1U : 0U;
    }
    return fresh;
  });
}

// ---- Filters, empty and full ----

template <typename Filter>
Filter empty_filter() {
  return take(Filter::for_capacity(kMembers, kFpp));
}

template <>
WindowedFilter empty_filter<WindowedFilter>() {
  return take(WindowedFilter::for_capacity(kMembers, kFpp, {.window = Window::keys(kMembers)}));
}

template <typename Filter>
Filter full_filter() {
  auto filter = empty_filter<Filter>();
  fill(filter, hashes_of(member_integers()));
  return filter;
}

template <>
RibbonFilter full_filter<RibbonFilter>() {
  return take(RibbonFilter::build_from_hashes(hashes_of(member_integers()), kFpp, {.threads = 1}));
}

// Its cells are bytes.
constexpr double kFuseFpp = 1.0 / 256;
template <>
FuseFilter full_filter<FuseFilter>() {
  return take(FuseFilter::build_from_hashes(hashes_of(member_integers()), kFuseFpp, {.threads = 1}));
}

// It begins small, so that a query meets several layers.
template <>
ScalableFilter full_filter<ScalableFilter>() {
  auto filter = take(ScalableFilter::for_capacity(kMembers / 8, kFpp, {}));
  fill(filter, hashes_of(member_integers()));
  return filter;
}

template <typename Filter>
Counted query_hashes() {
  return query(full_filter<Filter>(), hashes_of(asked_integers()));
}

template <typename Filter>
Counted query_batches() {
  return query_batch(full_filter<Filter>(), hashes_of(asked_integers()));
}

template <typename Filter>
Counted insert_hashes() {
  auto filter = empty_filter<Filter>();
  return insert(filter, hashes_of(member_integers()));
}

template <typename Filter>
Counted insert_batches() {
  auto filter = empty_filter<Filter>();
  return insert_batch(filter, hashes_of(member_integers()));
}

template <typename Filter>
Counted test_and_insert_hashes() {
  auto filter = full_filter<Filter>();
  return test_and_insert(filter, hashes_of(asked_integers()));
}

Counted blocked_query_integer() {
  return query(full_filter<BlockedBloomFilter>(), asked_integers());
}

Counted blocked_query_string() {
  auto filter = empty_filter<BlockedBloomFilter>();
  fill(filter, texts_of(member_integers()));
  return query(filter, texts_of(asked_integers()));
}

Counted blocked_insert_integer() {
  auto filter = empty_filter<BlockedBloomFilter>();
  return insert(filter, member_integers());
}

Counted blocked_query_integer_inline() {
  return query_integers_inline(full_filter<BlockedBloomFilter>(), asked_integers());
}

Counted blocked_query_hash_inline() {
  return query_hashes_inline(full_filter<BlockedBloomFilter>(), hashes_of(asked_integers()));
}

Counted blocked_insert_integer_inline() {
  auto filter = empty_filter<BlockedBloomFilter>();
  return insert_integers_inline(filter, member_integers());
}

Counted quotient_remove() {
  auto filter = full_filter<QuotientFilter>();
  const auto hashes = hashes_of(member_integers());
  return counted(hashes.size(), [&] {
    std::uint64_t removed = 0;
    for (const Hash128& hash : hashes) {
      removed += filter.remove(hash) ? 1U : 0U;
    }
    return removed;
  });
}

template <typename Filter>
Counted build_static(double fpp) {
  const auto hashes = hashes_of(member_integers());
  return counted(hashes.size(),
                 [&] { return take(Filter::build_from_hashes(hashes, fpp, {.threads = 1})).byte_size(); });
}

Counted ribbon_build() {
  return build_static<RibbonFilter>(kFpp);
}

Counted fuse_build() {
  return build_static<FuseFilter>(kFuseFpp);
}

Counted fuse_query_batch_integers() {
  return query_batch(full_filter<FuseFilter>(), asked_integers());
}

constexpr Path kPaths[] = {
    {"blocked-query-integer", kBoth, blocked_query_integer},
    {"blocked-query-integer-inline", kAvx2, blocked_query_integer_inline},
    {"blocked-query-hash", kBoth, query_hashes<BlockedBloomFilter>},
    {"blocked-query-hash-inline", kAvx2, blocked_query_hash_inline},
    {"blocked-query-string", kBoth, blocked_query_string},
    {"blocked-query-batch", kBoth, query_batches<BlockedBloomFilter>},
    {"blocked-insert-integer", kBoth, blocked_insert_integer},
    {"blocked-insert-integer-inline", kAvx2, blocked_insert_integer_inline},
    {"blocked-insert-batch-shared", kBoth, insert_batches<BlockedBloomFilter>},
    {"blocked-test-and-insert", kBoth, test_and_insert_hashes<BlockedBloomFilter>},
    {"bloom-query", kAny, query_hashes<BloomFilter>},
    {"bloom-query-batch", kAny, query_batches<BloomFilter>},
    {"bloom-insert", kAny, insert_hashes<BloomFilter>},
    {"counting-query", kAny, query_hashes<CountingBloomFilter>},
    {"counting-insert", kAny, insert_hashes<CountingBloomFilter>},
    {"quotient-query", kBoth, query_hashes<QuotientFilter>},
    {"quotient-query-batch", kBoth, query_batches<QuotientFilter>},
    {"quotient-insert", kBoth, insert_hashes<QuotientFilter>},
    {"quotient-remove", kBoth, quotient_remove},
    {"ribbon-query", kAny, query_hashes<RibbonFilter>},
    {"ribbon-query-batch", kBoth, query_batches<RibbonFilter>},
    {"ribbon-build", kBoth, ribbon_build},
    {"fuse-query", kBoth, query_hashes<FuseFilter>},
    {"fuse-query-batch", kBoth, query_batches<FuseFilter>},
    {"fuse-query-batch-integer", kBoth, fuse_query_batch_integers},
    {"fuse-build", kAny, fuse_build},
    {"scalable-query", kBoth, query_hashes<ScalableFilter>},
    {"scalable-insert", kBoth, insert_hashes<ScalableFilter>},
    {"windowed-query", kBoth, query_hashes<WindowedFilter>},
    {"windowed-insert", kBoth, insert_hashes<WindowedFilter>},
};

}  // namespace

std::span<const Path> filter_paths() {
  return kPaths;
}

}  // namespace bloomery::instructions
