// Policies of a block cache that keep keys and sizes alone, for cache_bench: the project's own class, and the rules of
// others beside it.
//
// All have:  bool ask(key, size)      whether the key was kept; it is then, or is tried
//
// LRU drops what was asked for last longest ago. LruRules has those of HBase's LruBlockCache (2.6, defaults):
// entries are of single, multi or in-memory access, with 25, 50 and 25 % of the bytes. The second question makes a
// single one multi. Above 99 % of the bytes a clean-up frees down to 95 %: the buckets that are furthest above
// their share first, of each what was asked for last longest ago. HBase cleans up in another thread; here it runs at
// once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "base/cache_entries.h"

namespace bloomery {

class OwnPolicy {
 public:
  explicit OwnPolicy(std::uint64_t most_bytes) : entries_(most_bytes) {}

  bool ask(std::uint64_t key, std::uint64_t size) {
    const CacheKey full{&group_, key};
    const std::uint64_t hash = full.hash();
    if (entries_.find(full, hash) != nullptr) {
      return true;
    }
    entries_.insert(full, hash, {}, size);
    return false;
  }

 private:
  struct Nothing {};

  CacheGroup group_{.id = 1};
  CacheEntries<Nothing> entries_;
};

class Lru {
 public:
  explicit Lru(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  bool ask(std::uint64_t key, std::uint64_t size) {
    if (const auto found = places_.find(key); found != places_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return true;
    }
    order_.push_front({key, size});
    places_[key] = order_.begin();
    bytes_ += size;
    while (bytes_ > most_bytes_) {
      bytes_ -= order_.back().size;
      places_.erase(order_.back().key);
      order_.pop_back();
    }
    return false;
  }

 private:
  struct Kept {
    std::uint64_t key;
    std::uint64_t size;
  };

  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  std::list<Kept> order_;  // the newest question first
  std::unordered_map<std::uint64_t, std::list<Kept>::iterator> places_;
};

class LruRules {
 public:
  explicit LruRules(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  bool ask(std::uint64_t key, std::uint64_t size) {
    if (const auto found = places_.find(key); found != places_.end()) {
      Kept kept = *found->second.at;
      Bucket& from = buckets_[found->second.bucket];
      from.order.erase(found->second.at);
      from.bytes -= kept.size;
      put(kMulti, kept);
      return true;
    }
    put(kSingle, {key, size});
    if (bytes() > most_bytes_ / 100 * 99) {
      clean_up();
    }
    return false;
  }

 private:
  enum BucketNumber : std::uint8_t { kSingle, kMulti, kInMemory, kBuckets };
  struct Kept {
    std::uint64_t key;
    std::uint64_t size;
  };
  struct Bucket {
    std::list<Kept> order;  // the newest question first
    std::uint64_t bytes = 0;
  };
  struct Place {
    std::uint8_t bucket;
    std::list<Kept>::iterator at;
  };

  std::uint64_t bytes() const {
    return buckets_[kSingle].bytes + buckets_[kMulti].bytes + buckets_[kInMemory].bytes;
  }

  void put(BucketNumber to, const Kept& kept) {
    buckets_[to].order.push_front(kept);
    buckets_[to].bytes += kept.size;
    places_[kept.key] = {to, buckets_[to].order.begin()};
  }

  std::uint64_t free_of(Bucket& bucket, std::uint64_t wanted) {
    std::uint64_t freed = 0;
    while (freed < wanted && !bucket.order.empty()) {
      freed += bucket.order.back().size;
      bucket.bytes -= bucket.order.back().size;
      places_.erase(bucket.order.back().key);
      bucket.order.pop_back();
    }
    return freed;
  }

  void clean_up() {
    const std::uint64_t least = most_bytes_ / 100 * 95;
    const std::uint64_t wanted = bytes() - least;
    const std::array<double, kBuckets> shares = {0.25, 0.5, 0.25};
    std::array<std::uint8_t, kBuckets> order = {kSingle, kMulti, kInMemory};
    const auto overflow = [&](std::uint8_t i) {
      return static_cast<double>(buckets_[i].bytes) - shares[i] * static_cast<double>(least);
    };
    std::ranges::sort(order, {}, overflow);
    std::uint64_t freed = 0;
    for (std::uint8_t i = 0; i < kBuckets; ++i) {
      const double over = overflow(order[i]);
      if (over > 0) {
        const std::uint64_t share = (wanted - std::min(wanted, freed)) / (kBuckets - i);
        freed += free_of(buckets_[order[i]], std::min(static_cast<std::uint64_t>(over), share));
      }
    }
  }

  std::uint64_t most_bytes_;
  std::array<Bucket, kBuckets> buckets_;
  std::unordered_map<std::uint64_t, Place> places_;
};

}  // namespace bloomery
