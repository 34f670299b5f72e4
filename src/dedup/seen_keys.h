// What has come before: one question for all the ways of remembering it.
//
//   SeenHashes    a set of 64-bit hashes       memory by the number of keys, loses nothing in practice
//   SeenLines     the keys themselves          loses nothing, counts
//   SeenFilter    a filter that takes keys     memory fixed beforehand, loses by its fpp, survives in a file
//
// A line is lost when its key is new and taken for one that came before.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/windowed_filter.h"
#include "dedup/hash_set64.h"
#include "dedup/key_table.h"
#include "dedup/line_pipeline.h"
#include "dedup/loss_estimate.h"

namespace bloomery {

struct Losses {
  double mean = 0;
  Interval interval;
  bool is_known = true;  // false: a filter is so full that perhaps all was lost
};

class SeenKeys {
 public:
  virtual ~SeenKeys() = default;
  // Takes the keys of a batch in order. fresh, bit i: that of line i was not there, as far as this can tell.
  // Errors: kCapacity without memory.
  virtual Status add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) = 0;
  // Of the lines so far, about.
  virtual Losses losses() = 0;
};

class SeenHashes final : public SeenKeys {
 public:
  Status add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) override;
  Losses losses() override;

 private:
  HashSet64 set_;
};

class SeenLines final : public SeenKeys {
 public:
  // Batches must keep their keys.
  explicit SeenLines(KeyTable::Keep keep) : table_(keep) {}
  Status add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) override;
  Losses losses() override { return {}; }
  const KeyTable& table() const { return table_; }

 private:
  KeyTable table_;
};

// Of a blocked filter with a small fpp that follows from the number of keys, so that the estimate costs next
// to nothing; at the end its bits are read once (up to 1 GiB), since they differ a little from the model.
// They are read all along where the filter is so small that they differ much, and where the fpp is so large
// that what the model lacks would add up; those of a large one about a tenth of the time, and the model follows
// them in between. Of a windowed one bits are read now and then, about a hundredth of the time. How long to wait for
// the next reading is counted in keys, never by a clock: the same keys give the same estimate on a machine that is busy.
class SeenFilter final : public SeenKeys {
 public:
  // Batches must be hashed as the filter says. Precondition: it is a blocked or a windowed one, and nobody
  // else uses it.
  explicit SeenFilter(AnyFilter& filter);
  Status add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) override;
  Losses losses() override;

  // The fpp now, by the number of keys of a blocked filter, or when it was last looked at.
  double fpp() const { return fpp_; }
  // Whether a generation of a window has clearly more keys than it has room for, or had when it was looked
  // at.
  bool has_overfull_generation();

 private:
  void sample_blocked_filter();
  void sample_model(LossEstimate& estimate);
  void sample_bits(LossEstimate& estimate);
  void correct_by_bits(LossEstimate& estimate);
  double model_fpp() const;
  double predicted_at(double keys) const;
  std::uint64_t step() const;
  void sample_window();
  void look_for_overfull();
  std::uint64_t until_next_sample() const;

  AnyFilter& filter_;
  BlockedBloomFilter* blocked_filter_;  // one of the two
  WindowedFilter* window_filter_;
  LossEstimate estimate_;
  bool reads_all_along_ = false;
  double bits_over_model_ = 1;  // fpp, when bits were last read
  bool was_overfull_ = false;   // a generation
  double fpp_ = 0;
  std::uint64_t passed_ = 0;
  std::uint64_t next_sample_ = 0;   // of `passed_`
  std::uint64_t asked_ = 0;         // keys of all batches, whether they passed or not
  std::uint64_t next_reading_ = 0;  // of bits, in `asked_`, and the next look for an overfull generation
  std::uint64_t next_overfull_look_ = 0;
};

}  // namespace bloomery
