// `build` of a filter that is made by inserting the keys in order: every type of ours but ribbon.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>

#include <fmt/core.h>
#include <fmt/format.h>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/quotient_sizing.h"
#include "cli/builders.h"
#include "cli/exception_list.h"
#include "cli/exit_status.h"
#include "cli/key_input.h"
#include "cli/new_hash.h"
#include "cli/numbers.h"
#include "cli/question_fpp.h"
#include "cli/stop_signal.h"
#include "filter/native/native_access.h"
#include "filter/quotient/quotient_slots.h"
#include "filter/spool/hash_log.h"

namespace bloomery::cli {
namespace {

// Predicts how far a quotient filter can grow.
//
// A full segment splits in two until fingerprints have one remainder bit. Then there are 2^(r - 1) segments
// for each planned one, all of one size, and the filter is full when any of them has no free slot. Two
// effects determine how many keys it has then:
//
//   - Keys with equal fingerprints use more than one slot (quotient_slots.h). They are frequent when
//     remainders are short.
//   - The fullest segment has more keys than the others, by the variance of the used slots.
//
// Both follow from Poisson-distributed numbers of keys per fingerprint. In measurements, the first key is
// refused within 2 % of the computed number: -n 100 -p 0.01 at 9,337, -n 1,000 -p 0.01 at 74,267, -n 10,000
// -p 0.05 at 160,576.

// How many slots the keys of one fingerprint use in a table with one remainder bit.
struct SlotsTaken {
  double mean = 0;
  double variance = 0;
};

// Returns the slots of `count` equal fingerprints: one each below 3, otherwise 3 and two per bit of count -
// 3.
double slots_of_count(std::uint32_t count) {
  return count < 3 ? count : 3 + 2 * static_cast<double>(std::bit_width((count - 3) | 1));
}

// Returns the distribution if a fingerprint has `keys` keys on average (Poisson). Precondition: keys <= 1.
SlotsTaken slots_taken(double keys) {
  constexpr std::uint32_t kCounts = 32;  // larger counts have a probability below 1e-35
  SlotsTaken taken;
  double squares = 0;
  double probability = std::exp(-keys);
  for (std::uint32_t count = 1; count < kCounts; ++count) {
    probability *= keys / count;
    const double slots = slots_of_count(count);
    taken.mean += probability * slots;
    squares += probability * slots * slots;
  }
  taken.variance = squares - taken.mean * taken.mean;
  return taken;
}

// Keeps three significant digits, because the number is an approximation.
std::uint64_t rounded(std::uint64_t keys) {
  std::uint64_t unit = 1;
  while (keys / unit >= 1000) {
    unit *= 10;
  }
  return keys / unit * unit;
}

// Returns the number of distinct keys that a filter of a shape accepts, without refusing one, with
// probability 1/2. At most 10^18.
std::uint64_t quotient_keys_max(const QuotientShape& shape) {
  constexpr double kMost = 1e18;
  const double segments = std::ldexp(1.0, static_cast<int>(shape.depth + shape.remainder_bits - 1));
  const double fingerprints = 2 * static_cast<double>(shape.quotients);  // possible fingerprints per segment
  const auto slots = static_cast<double>(quotient_slots({.quotients = shape.quotients, .remainder_bits = 1}));
  // The probability that one segment is full, if with probability 1/2 none is.
  const double full = -std::expm1(-std::numbers::ln2 / segments);
  double least = 0;
  double most = 1;
  for (int step = 0; step < 60; ++step) {
    const double keys = (least + most) / 2;
    const SlotsTaken taken = slots_taken(keys);
    const double free_by = (slots - taken.mean * fingerprints) / std::sqrt(taken.variance * fingerprints);
    (std::erfc(free_by / std::numbers::sqrt2) / 2 < full ? least : most) = keys;
  }
  return static_cast<std::uint64_t>(std::min(least * fingerprints * segments, kMost));
}

// Returns "grows by itself, and its fpp with it: 2,000 keys at fpp 0.001794, about 590,000 keys at fpp
// 0.4111, then it is full".
std::string quotient_growth(const QuotientShape& shape, std::uint64_t capacity) {
  const std::uint64_t most = rounded(quotient_keys_max(shape));
  const std::uint64_t twice = 2 * std::max<std::uint64_t>(capacity, 1);
  const auto at = [&shape](std::uint64_t keys) {
    return show_count(keys) + " keys at fpp " + show_probability(predicted_fpp(shape, keys));
  };
  if (shape.remainder_bits == 1) {
    return fmt::format(
        "does not grow: its fingerprints are too short; about {}, then it is full; a smaller fpp lets it "
        "grow",
        at(most));
  }
  return most <= twice
             ? fmt::format("grows by itself, and its fpp with it: about {}, then it is full", at(most))
             : fmt::format("grows by itself, and its fpp with it: {}, about {}, then it is full", at(twice),
                           at(most));
}

// The capacity of a scalable filter's first layer, without -n.
constexpr std::uint64_t kFirstCapacity = 10'000;

// Returns the capacity, or nothing if it is unknown until the keys of a stream are spooled and counted.
Result<std::optional<BuildCapacity>> capacity_for(const BuildPlan& plan, InputFiles& input) {
  const FilterPlan& type = plan.filter.type;
  if (!plan.filter.capacity) {
    if (type.type == FilterType::kWindowed && type.options.window.kind == WindowKind::kCount) {
      return std::optional(BuildCapacity{.keys = type.options.window.length});
    }
    if (type.type == FilterType::kScalable && !input.can_rewind()) {
      return std::optional(BuildCapacity{.keys = kFirstCapacity, .from = BuildCapacity::From::kFirstLayer});
    }
  }
  return count_or_counted(plan, input);
}

// Reads --exceptions and adds those that match to the filter. Returns false if some exceptions are members;
// these were printed.
Result<bool> add_listed_exceptions(const BuildPlan& plan, ExceptionList& list, AnyFilter& filter) {
  KeyHasher hasher(filter.native().hash_spec(), filter.native().key_treatment(), plan.keys.place());
  const bool exact = std::holds_alternative<ExactSet>(filter.variant());
  const auto ask = [&](std::span<const Hash128> hashes, std::span<std::uint64_t> answers) {
    filter.may_contain_batch(hashes, answers);
    // All are candidates, because the filter that replaces an exact set may match them.
    for (std::size_t i = 0; exact && i < hashes.size(); ++i) {
      answers[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  };
  BLOOMERY_RETURN_IF_ERROR(list.read_list(hasher, ask, nullptr));
  BLOOMERY_RETURN_IF_ERROR(list.meet_members());
  BLOOMERY_ASSIGN_OR_RETURN(const bool settled, list.settle());
  if (settled) {
    BLOOMERY_RETURN_IF_ERROR(filter.add_as_exceptions(list.candidates().exceptions()));
  }
  return settled;
}

void summarize_build(const AnyFilter& filter, const std::string& assumed) {
  const NativeFilter& native = filter.native();
  if (const auto* const exact = std::get_if<ExactSet>(&filter.variant())) {
    warn("build", fmt::format("{} kept exactly in {}; above {} different ones they become {}, fpp {}{}",
                              show_count_of(exact->size(), "key"), show_bytes(native.byte_size()),
                              show_count(exact->plan().exact_below), exact->plan().type_name(),
                              show_target_fpp(filter), assumed));
    return;
  }
  const auto keys = static_cast<double>(std::max<std::uint64_t>(native.inserted(), 1));
  warn("build", fmt::format("{} into {} ({}), {:.2f} bits per key, k {}, fpp {}{}",
                            show_count_of(native.inserted(), "key"), show_bytes(native.byte_size()),
                            filter.type_name(), static_cast<double>(filter.bits()) / keys,
                            filter.hash_count(), show_fpp(filter), assumed));
}

// Builds a filter by inserting the keys in order.   Calls: make fill save
class NativeBuild {
 public:
  NativeBuild(const BuildPlan& plan, const NewHash& hash)
      : plan_(plan),
        hash_(hash),
        list_(plan, ~std::uint64_t{0}),
        waiting_(log_of_waiting_hashes(plan.spool_directory)),
        input_(plan.files, plan.keys.input_shape()),
        hasher_(hash.spec, plan.keys.treatment_for_new(), plan.keys.place(), KeyPurpose::kInsert) {}

  // Makes the empty filter. First reads all keys if their number is needed (a stream without -n), or the
  // levels of a block list.
  Status make() {
    const FilterChoice& choice = plan_.filter;
    const bool waits = plan_.waits_for_levels();
    const bool spools = waits || (!choice.capacity && !input_.can_rewind());
    if (plan_.names_spool_directory && !plan_.has_exceptions() && !spools) {
      return Error::invalid_argument(
          "--tmp", "expected only with -t ribbon or --exceptions, or without -n on a stream; found with -t " +
                       choice.type.type_name());
    }
    std::optional<BuildCapacity> capacity;
    if (!waits || choice.capacity) {
      BLOOMERY_ASSIGN_OR_RETURN(capacity, capacity_for(plan_, input_));
    }
    if (waits || !capacity) {
      BLOOMERY_ASSIGN_OR_RETURN(const BuildCapacity spooled, spool());
      capacity = capacity ? *capacity : spooled;
      is_spooled_ = true;
    }
    capacity_ = *capacity;
    const KeyTreatment keys = plan_.keys.treatment_for_new();
    if (capacity_.from == BuildCapacity::From::kOption) {
      capacity_.keys += KeyLevels::all_of(keys.form).count();
    }
    FilterPlan plan = choice.sized(capacity_.keys, most_questions(keys.form, hasher_.levels()));
    plan.options.hash = hash_.spec;
    plan.options.keys = keys;
    BLOOMERY_ASSIGN_OR_RETURN(filter_, make_filter(plan));
    return filter_->native().set_metadata(plan_.note);
  }

  // Inserts all keys. Returns the exit status: kRefused if --strict refuses the keys, kTrouble if some
  // exceptions are members. stderr says which.
  Result<int> fill() {
    BLOOMERY_ASSIGN_OR_RETURN(const bool fits, is_spooled_ ? insert_spooled() : insert_input());
    if (!fits) {
      warn("build", fmt::format("refused: more than the {} keys of -n (--strict); nothing was written",
                                show_count(capacity_.keys)));
      return static_cast<int>(kRefused);
    }
    BLOOMERY_RETURN_IF_ERROR(plan_.rules.check(hasher_.tally(), plan_.keys));
    if (plan_.has_exceptions()) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool added, add_listed_exceptions(plan_, list_, *filter_));
      return static_cast<int>(added ? kDone : kTrouble);
    }
    return static_cast<int>(kDone);
  }

  Status save(const OutputFile& output) {
    const std::atomic<bool>& stop =
        catch_stop_signals();  // from here on, an interrupted save removes its temporary file
    NativeAccess::set_digest_bytes(filter_->native(), plan_.recorded_digest_bytes(hasher_));
    BLOOMERY_RETURN_IF_ERROR(hash_.save_key());
    if (const Status written = output.write(filter_->native(), stop); !written) {
      hash_.remove_key(plan_.output);
      return written;
    }
    if (plan_.summary.wanted_or_amiss(InputRules::amiss(hasher_.tally(), plan_.keys))) {
      summarize_build(*filter_, assumed(plan_.filter, capacity_));
      if (const auto* const quotient = std::get_if<QuotientFilter>(&filter_->variant())) {
        warn("build", quotient_growth(quotient->shape(), capacity_.keys));
      }
    }
    if (plan_.has_exceptions() && plan_.summary.wanted_or_amiss(list_.members_among_them())) {
      warn("build", list_.summary());
    }
    tell_of_keys("build", hasher_.tally(), plan_.keys.place(), telling(plan_.summary.declined()));
    warn_over_capacity("build", *filter_);
    return {};
  }

 private:
  // Returns the log for the keys' hashes. With exceptions it is the log of the members, which are compared
  // with the list.
  HashLog& log() { return plan_.has_exceptions() ? list_.members() : waiting_; }

  // Spools the hashes of all keys, and thereby counts the keys and their levels.
  Result<BuildCapacity> spool() {
    // So a wrong -p is found before a long stream is read.
    BLOOMERY_RETURN_IF_ERROR(planned_size(plan_.filter.sized(kFirstCapacity)));
    BLOOMERY_RETURN_IF_ERROR(
        for_each_key_batch("build", input_, hasher_, [&](const KeyBatch& batch) -> Result<bool> {
          BLOOMERY_RETURN_IF_ERROR(plan_.has_exceptions() ? list_.note_members(batch, input_)
                                                          : waiting_.append(batch.hashes));
          return true;
        }));
    const bool entries = !hasher_.levels().empty();
    return BuildCapacity{.keys = log().size(),
                         .from = entries ? BuildCapacity::From::kEntries : BuildCapacity::From::kSpooled,
                         .spooled_bytes = log().disk_bytes()};
  }

  // Inserts hashes. Returns false if --strict refuses them.
  Result<bool> insert(std::span<const Hash128> hashes) {
    if (plan_.strict && hashes.size() > filter_->room()) {
      return false;
    }
    if (filter_->insert_batch(hashes, Sharing::kExclusive) != 0) {
      return Error::capacity("-n", "expected about the number of keys, found so many more than " +
                                       show_count(capacity_.keys) + " that the filter is full");
    }
    return true;
  }

  Result<bool> insert_spooled() {
    log().rewind();
    for (;;) {
      BLOOMERY_ASSIGN_OR_RETURN(const HashBatch batch, log().next());
      if (batch.hashes.empty()) {
        return true;
      }
      BLOOMERY_ASSIGN_OR_RETURN(const bool fits, insert(batch.hashes));
      if (!fits) {
        return false;
      }
    }
  }

  Result<bool> insert_input() {
    bool fits = true;
    BLOOMERY_RETURN_IF_ERROR(
        for_each_key_batch("build", input_, hasher_, [&](const KeyBatch& batch) -> Result<bool> {
          BLOOMERY_ASSIGN_OR_RETURN(fits, insert(batch.hashes));
          if (fits && plan_.has_exceptions()) {
            BLOOMERY_RETURN_IF_ERROR(list_.note_members(batch, input_));
          }
          return fits;
        }));
    return fits;
  }

  const BuildPlan& plan_;
  NewHash hash_;
  ExceptionList list_;
  HashLog waiting_;
  InputFiles input_;
  KeyHasher hasher_;
  BuildCapacity capacity_;
  bool is_spooled_ = false;  // log() has the hashes of all keys
  std::optional<AnyFilter> filter_;
};

}  // namespace

Result<int> build_native(const BuildPlan& plan, const OutputFile& output) {
  BLOOMERY_ASSIGN_OR_RETURN(const NewHash hash, new_hash(plan));
  NativeBuild build(plan, hash);
  BLOOMERY_RETURN_IF_ERROR(build.make());
  BLOOMERY_ASSIGN_OR_RETURN(const int filled, build.fill());
  if (filled == kDone) {
    BLOOMERY_RETURN_IF_ERROR(build.save(output));
  }
  return filled;
}

}  // namespace bloomery::cli
