// `build -t ribbon` and `build -t fuse`. The number of keys need not be known in advance; keys that do not
// fit into memory are spooled to disk.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "bloomery/filter/fuse_builder.h"
#include "bloomery/filter/ribbon_builder.h"
#include "bloomery/filter/ribbon_exceptions.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "cli/builders.h"
#include "cli/exception_list.h"
#include "cli/exit_status.h"
#include "cli/key_input.h"
#include "cli/new_hash.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/question_fpp.h"
#include "cli/static_plan.h"
#include "cli/stop_signal.h"
#include "filter/spool/hash_log.h"

namespace bloomery::cli {
namespace {

struct Outcome {
  std::uint64_t keys;
  std::uint64_t bytes;
};

template <typename Builder>
Result<std::optional<Outcome>> finish_and_write(const BuildPlan& plan, const OutputFile& output,
                                                Builder builder, const std::atomic<bool>& stop) {
  Progress progress("build");
  const auto show = [&](std::uint32_t done, std::uint32_t total) {
    progress.update_steps("shards", done, total);
  };
  if (!output.is_standard_output()) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto written, builder.finish(plan.output, output.save_to(stop), show));
    return std::optional(Outcome{.keys = written.keys, .bytes = written.bytes});
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto filter, builder.finish(show, &stop));
  BLOOMERY_RETURN_IF_ERROR(output.write(filter, stop));
  return std::optional(Outcome{.keys = filter.inserted(), .bytes = filter.file_bytes()});
}

void summarize_static_build(const Outcome& outcome, const std::string& type, const std::string& fpp,
                            std::uint64_t given, std::uint64_t spooled, const std::string& assumed) {
  const double keys = static_cast<double>(std::max<std::uint64_t>(outcome.keys, 1));
  warn("build",
       fmt::format("{} ({} given) into {} ({}), {:.2f} bits per key, fpp {}; {} spooled{}",
                   show_count_of(outcome.keys, "key"), show_count(given), show_bytes(outcome.bytes), type,
                   static_cast<double>(outcome.bytes) * 8 / keys, fpp, show_bytes(spooled), assumed));
}

// Builds the filter of all members as an unnamed file. Afterwards the builder's memory is free.
template <typename Builder>
auto make_nameless(Builder builder, const std::atomic<bool>& stop) {
  Progress progress("build");
  const auto show = [&](std::uint32_t done, std::uint32_t total) {
    progress.update_steps("shards", done, total);
  };
  return builder.finish_nameless(show, &stop);
}

// Adds the exceptions as the last column of a ribbon. Returns false if some exceptions are members; these are
// printed on stderr.
Result<bool> add_exceptions(RibbonFilter& filter, const RibbonBuildOptions& build, ExceptionList& list,
                            const std::atomic<bool>& stop) {
  RibbonBuildOptions rest = build;
  rest.memory_bytes -= list.matches() * ExceptionList::kBytesPerMatch;
  BLOOMERY_ASSIGN_OR_RETURN(RibbonExceptionBuilder column,
                            RibbonExceptionBuilder::create(filter.inserted(), list.matches(), rest));
  BLOOMERY_RETURN_IF_ERROR(
      list.meet_members([&column](std::span<const Hash128> members) { return column.add(members); }));
  BLOOMERY_ASSIGN_OR_RETURN(const bool settled, list.settle());
  if (!settled) {
    return false;
  }
  Progress progress("build");
  const auto show = [&](std::uint32_t done, std::uint32_t total) {
    progress.update_steps("shards of the last column", done, total);
  };
  BLOOMERY_RETURN_IF_ERROR(column.finish(filter, list.candidates().exceptions(), show, &stop));
  return true;
}

// Adds the exceptions to the table of a fuse filter.
Result<bool> add_exceptions(FuseFilter& filter, const RibbonBuildOptions&, ExceptionList& list,
                            const std::atomic<bool>&) {
  BLOOMERY_RETURN_IF_ERROR(list.meet_members());
  BLOOMERY_ASSIGN_OR_RETURN(const bool settled, list.settle());
  if (!settled) {
    return false;
  }
  BLOOMERY_RETURN_IF_ERROR(filter.add_as_exceptions(list.candidates().exceptions()));
  return true;
}

// Finishes a build with exceptions. Returns nothing if some exceptions are members.
template <typename Builder>
Result<std::optional<Outcome>> write_with_exceptions(const BuildPlan& plan, const OutputFile& output,
                                                     Builder builder, const RibbonBuildOptions& build,
                                                     ExceptionList& list, const std::atomic<bool>& stop) {
  BLOOMERY_ASSIGN_OR_RETURN(auto filter, make_nameless(std::move(builder), stop));
  KeyHasher hasher(build.filter.hash, build.filter.keys, plan.keys.place());
  const auto ask = [&filter](std::span<const Hash128> hashes, std::span<std::uint64_t> answers) {
    filter.may_contain_batch(hashes, answers);
  };
  BLOOMERY_RETURN_IF_ERROR(list.read_list(hasher, ask, &stop));
  if (stop) {
    return Error::io("build", "read", EINTR);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool settled, add_exceptions(filter, build, list, stop));
  if (!settled) {
    return std::optional<Outcome>();
  }
  BLOOMERY_RETURN_IF_ERROR(output.write(filter, stop));
  return std::optional(Outcome{.keys = filter.inserted(), .bytes = filter.file_bytes()});
}

// Warns if there are far more keys than -n. The answers stay correct, but shards are larger and need more
// memory.
void warn_over_plan(const RibbonBuildOptions& build, std::uint64_t keys, std::uint64_t shard_keys) {
  const std::uint64_t planned = build.capacity / build.parts;
  const std::uint64_t shards = std::max<std::uint64_t>(planned / shard_keys, 1);
  if (build.capacity != 0 && keys > 2 * planned && keys / shards > 4 * shard_keys) {
    warn("build",
         fmt::format("warning: made for {} keys, {} were in it: its shards, and the memory they took, are "
                     "larger than planned",
                     show_count(planned), show_count(keys)));
  }
}

// Spools the hashes of all entries, because their levels must be known before the filter is planned.
Status read_entries(InputFiles& input, KeyHasher& hasher, HashLog& entries) {
  return for_each_key_batch("build", input, hasher, [&](const KeyBatch& batch) -> Result<bool> {
    BLOOMERY_RETURN_IF_ERROR(entries.append(batch.hashes));
    return true;
  });
}

// Calls use() for the hashes of all entries until it fails or returns false.
Status for_each_entry_batch(HashLog& entries,
                            const std::function<Result<bool>(std::span<const Hash128>)>& use) {
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const HashBatch batch, entries.next());
    if (batch.hashes.empty()) {
      return {};
    }
    BLOOMERY_ASSIGN_OR_RETURN(const bool wanted, use(batch.hashes));
    if (!wanted) {
      return {};
    }
  }
}

int stopped_unwritten() {
  warn("build", "stopped; nothing was written");
  return kInterrupted;
}

struct StaticFpp {
  double of_all;   // fpp of the filter, exceptions included
  double of_keys;  // fpp without exceptions: the exception column of a ribbon halves it
};

Result<StaticFpp> planned_static_fpp(const BuildPlan& plan, const RibbonBuildOptions& build,
                                     std::size_t questions) {
  // Used to plan by bits per key if the number of keys is unknown.
  constexpr std::uint64_t kManyKeys = 1'000'000'000;
  const bool has_column = plan.has_exceptions() && plan.filter.type.type == FilterType::kRibbon;
  BLOOMERY_ASSIGN_OR_RETURN(
      const double fpp,
      planned_fpp(plan.filter.sized(build.capacity != 0 ? build.capacity : kManyKeys, questions)));
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp_of_keys,
                            has_column ? exception_ribbon_fpp(fpp) : Result<double>(fpp));
  return StaticFpp{.of_all = fpp, .of_keys = fpp_of_keys};
}

// The build of one static filter, from the first input line to the summary.
template <typename Builder>
class StaticBuildRun {
 public:
  StaticBuildRun(const BuildPlan& plan, const OutputFile& output, const RibbonBuildOptions& build)
      : plan_(plan),
        output_(output),
        build_(build),
        stop_(catch_stop_signals()),
        input_(plan.files, plan.keys.input_shape(), &stop_),
        hasher_(build.filter.hash, build.filter.keys, plan.keys.place(), KeyPurpose::kInsert),
        entries_(log_of_waiting_hashes(plan.spool_directory)),
        list_(plan, (build.memory_bytes - (is_ribbon() ? kMinRibbonMemory : kMinFuseMemory)) /
                        ExceptionList::kBytesPerMatch) {}

  // Returns the exit status.
  Result<int> run(const NewHash& hash) {
    const bool waits = plan_.waits_for_levels();
    if (waits) {
      BLOOMERY_RETURN_IF_ERROR(read_entries(input_, hasher_, entries_));
      if (stop_) {
        return stopped_unwritten();
      }
    }
    BLOOMERY_ASSIGN_OR_RETURN(const StaticFpp fpp, planned_static_fpp(plan_, build_, questions()));
    BLOOMERY_ASSIGN_OR_RETURN(Builder builder, Builder::create(fpp.of_keys, build_));
    if (plan_.strict && build_.capacity == 0) {
      return Error::invalid_argument("-n", "expected the most keys there may be, for --strict");
    }
    BLOOMERY_RETURN_IF_ERROR(state_needs(plan_, fpp.of_keys, build_));
    BLOOMERY_RETURN_IF_ERROR(waits ? add_entries(builder) : add_lines(builder));
    if (is_full_) {
      warn("build", fmt::format("refused: more than the {} keys of -n (--strict); nothing was written",
                                show_count(build_.capacity)));
      return static_cast<int>(kRefused);
    }
    if (stop_) {
      return stopped_unwritten();
    }
    BLOOMERY_RETURN_IF_ERROR(plan_.rules.check(hasher_.tally(), plan_.keys));
    builder.set_digest_bytes(plan_.recorded_digest_bytes(hasher_));
    return write(std::move(builder), hash, fpp);
  }

 private:
  bool is_ribbon() const { return plan_.filter.type.type == FilterType::kRibbon; }
  std::size_t questions() const { return most_questions(build_.filter.keys.form, hasher_.levels()); }

  Status add(Builder& builder, std::span<const Hash128> hashes) {
    is_full_ = plan_.strict && builder.added() + hashes.size() > build_.capacity;
    return is_full_ ? Status() : builder.add(hashes);
  }

  // Adds the entries of a block list, which read_entries() has spooled.
  Status add_entries(Builder& builder) {
    return for_each_entry_batch(entries_, [&](std::span<const Hash128> hashes) -> Result<bool> {
      BLOOMERY_RETURN_IF_ERROR(add(builder, hashes));
      return !is_full_ && !stop_;
    });
  }

  Status add_lines(Builder& builder) {
    return for_each_key_batch("build", input_, hasher_, [&](const KeyBatch& batch) -> Result<bool> {
      BLOOMERY_RETURN_IF_ERROR(add(builder, batch.hashes));
      if (!is_full_ && plan_.has_exceptions()) {
        BLOOMERY_RETURN_IF_ERROR(list_.note_members(batch, input_));
      }
      return !is_full_;
    });
  }

  Result<int> write(Builder builder, const NewHash& hash, const StaticFpp& fpp) {
    const std::uint64_t spooled = builder.spooled_bytes();
    const std::uint64_t given = builder.added();
    BLOOMERY_RETURN_IF_ERROR(hash.save_key());
    const Result<std::optional<Outcome>> outcome =
        plan_.has_exceptions()
            ? write_with_exceptions(plan_, output_, std::move(builder), build_, list_, stop_)
            : finish_and_write(plan_, output_, std::move(builder), stop_);
    if (!outcome || !*outcome) {
      hash.remove_key(plan_.output);
      return stop_     ? stopped_unwritten()
             : outcome ? static_cast<int>(kTrouble)
                       : Result<int>(outcome.error());
    }
    if (plan_.summary.wanted_or_amiss(InputRules::amiss(hasher_.tally(), plan_.keys))) {
      // Without -n no number of keys is assumed: the size of the filter depends on the number of distinct
      // keys.
      summarize_static_build(**outcome, plan_.filter.type.type_name(), shown_fpp(fpp), given, spooled,
                             assumed(plan_.filter, {}));
    }
    if (plan_.has_exceptions() && plan_.summary.wanted_or_amiss(list_.members_among_them())) {
      warn("build", list_.summary());
    }
    tell_of_keys("build", hasher_.tally(), plan_.keys.place(), telling(plan_.summary.declined()));
    warn_over_plan(build_, (*outcome)->keys, is_ribbon() ? kRibbonShardKeys : kFuseShardKeys);
    return static_cast<int>(kDone);
  }

  std::string shown_fpp(const StaticFpp& fpp) const {
    const KeyForm form = build_.filter.keys.form;
    if (is_block_list(form)) {
      return show_fpp(form, fpp.of_all, fpp.of_all, questions());
    }
    const std::string shown = show_probability(fpp.of_all);
    return is_ribbon() ? shown : fmt::format("{} (2^-{})", shown, fuse_bits(fpp.of_all));
  }

  const BuildPlan& plan_;
  const OutputFile& output_;
  const RibbonBuildOptions& build_;
  const std::atomic<bool>& stop_;
  InputFiles input_;
  KeyHasher hasher_;
  HashLog entries_;  // spooled entries of a block list
  ExceptionList list_;
  bool is_full_ = false;  // the input has more keys than --strict allows
};

}  // namespace

Result<int> build_static(const BuildPlan& plan, const OutputFile& output) {
  BLOOMERY_ASSIGN_OR_RETURN(const NewHash hash, new_hash(plan));
  BLOOMERY_ASSIGN_OR_RETURN(const RibbonBuildOptions build, plan_static(plan, hash.spec));
  return plan.filter.type.type == FilterType::kRibbon
             ? StaticBuildRun<RibbonBuilder>(plan, output, build).run(hash)
             : StaticBuildRun<FuseBuilder>(plan, output, build).run(hash);
}

}  // namespace bloomery::cli
