// The ways to remember keys, behind one interface.
//
//   SeenHashes    a set of 64-bit hashes          memory grows with the keys; loses nothing in practice
//   SeenLines     the keys themselves             loses nothing; can count
//   SeenFilter    a filter that accepts keys      fixed memory; loses by its fpp; can be saved in a file
//   SeenGrowing   a filter that grows             memory grows; loses by its fpp, however many keys; can be
//                                                 saved in a file
//
// A line is lost if its key is new and is a false positive.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_filter.h"
#include "dedup/hash_set64.h"
#include "dedup/key_table.h"
#include "dedup/line_pipeline.h"
#include "dedup/loss_estimate.h"

namespace bloomery {

struct Losses {
  double mean = 0;
  Interval interval;
  bool is_known = true;  // false if a filter is so full that perhaps all lines were lost
};

class SeenKeys {
 public:
  virtual ~SeenKeys() = default;
  // Adds the keys of a batch in order. Bit i of `fresh` is set if the key of line i was new, as far as this
  // class can tell. Errors: kCapacity if memory is lacking.
  virtual Status add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) = 0;
  // Estimates the losses among the lines so far.
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
  // Precondition of add(): the batch keeps its keys.
  explicit SeenLines(KeyTable::Keep keep) : table_(keep) {}
  Status add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) override;
  Losses losses() override { return {}; }
  const KeyTable& table() const { return table_; }

 private:
  KeyTable table_;
};

// Remembers keys in a blocked or a windowed filter. The estimate of the losses needs the filter's fpp:
//
//   blocked, up to 256 KiB              read from the bits at every sample; so small a filter deviates much
//                                       from the model
//   blocked, fpp below 1 %              from the model, which needs only the number of keys and costs next to
//                                       nothing; at the end the bits are read once, because they deviate a
//                                       little from the model
//   blocked, fpp from 1 % on            read from the bits for about a tenth of the time, because the errors
//                                       of the model would add up; in between the model, scaled to the last
//                                       reading
//   blocked, above 1 GiB                always from the model
//   windowed                            read from the bits for about a hundredth of the time
//
// The pause until the next reading is a number of keys, never a time. So the same keys give the same
// estimate, also on a busy machine.
class SeenFilter final : public SeenKeys {
 public:
  // Batches must be hashed as the filter says. Precondition: it is a blocked or a windowed filter, and nobody
  // else uses it.
  explicit SeenFilter(AnyFilter& filter);
  Status add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) override;
  Losses losses() override;
  // Adds keys to a windowed filter, as add() does. Precondition: it is one.
  void add_to_window(std::span<const Hash128> hashes, std::span<std::uint64_t> fresh);

  // The fpp at the last sample.
  double fpp() const { return fpp_; }
  // Returns true if a generation of a windowed filter has clearly more keys than its capacity, or had at an
  // earlier check.
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
  BlockedBloomFilter* blocked_filter_;  // one of the two is null
  WindowedFilter* window_filter_;
  LossEstimate estimate_;
  bool reads_all_along_ = false;
  double bits_over_model_ = 1;  // the fpp of the bits at the last reading, divided by that of the model
  bool was_overfull_ = false;   // a generation was overfull at some check
  double fpp_ = 0;
  std::uint64_t passed_ = 0;
  // The value of passed_ at which the next sample is due.
  std::uint64_t next_sample_ = 0;
  // `asked_` counts the keys of all batches, passed or not. The two other members are the values of asked_ at
  // which the next reading and the next check for an overfull generation are due.
  std::uint64_t asked_ = 0;
  std::uint64_t next_reading_ = 0;
  std::uint64_t next_overfull_look_ = 0;
};

// Remembers keys in a scalable filter. Its fpp is read from all bits whenever the keys have grown by an
// eighth, so that the readings cost less than the inserts.
class SeenGrowing final : public SeenKeys {
 public:
  // Batches must be hashed as the filter says. Nobody else may use it.
  explicit SeenGrowing(ScalableFilter& filter);
  // Errors: also kCapacity if the filter lacks memory for a key.
  Status add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) override;
  Losses losses() override;

  // The fpp at the last sample.
  double fpp() const { return fpp_; }

 private:
  void sample();

  ScalableFilter& filter_;
  LossEstimate estimate_;
  double fpp_ = 0;
  std::uint64_t passed_ = 0;
  std::uint64_t next_sample_ = 0;  // a number of passed lines
};

}  // namespace bloomery
