// `build --dialect`: builds a filter of another system.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/crc32c.h"
#include "base/file.h"
#include "base/nameless_file.h"
#include "bloomery/base/result.h"
#include "bloomery/dialects/dialects.h"
#include "cli/builders.h"
#include "cli/dialect_choice.h"
#include "cli/dialect_keys.h"
#include "cli/exit_status.h"
#include "cli/key_input.h"
#include "cli/numbers.h"
#include "cli/question_fpp.h"
#include "cli/stop_signal.h"
#include "codec/plan.h"
#include "dialects/dialect_rows.h"
#include "keys/key_maker.h"

namespace bloomery::cli {
namespace {

// Stores keys in order and reads them back in that order, in bounded memory.
//
//    append -> one block of about 8 MiB in memory; a full block is written to a file before more is appended
//              key: its length in 8 bytes, its bytes
//   next   <- block after block; a block in the file is checked against its CRC-32C, which is kept in memory
//
// The file is created when the first block is written, and has no name (nameless_file.h). It disappears with
// its process, so its layout is not a stable format.
//
// Memory: two blocks, the longest batch, and 16 bytes for each block in the file. Not thread-safe. For
// hashes, filter/spool/hash_log.h needs less memory. Order of calls: append* next*
class KeyLog {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{8} << 20;

  // `files` must outlive the log. The constructor creates no file.
  KeyLog(FileSystem& files, std::string directory) : files_(&files), directory_(std::move(directory)) {}

  // Errors: kIo, kNotFound, naming the file.
  Status append(std::span<const std::string_view> keys);

  std::uint64_t size() const { return size_; }
  std::uint64_t disk_bytes() const { return disk_bytes_; }

  // Sets `keys` to the next keys, valid until the next call. Returns false if there are none. Errors:
  // kCorruption, kIo, naming the file.
  Result<bool> next(std::vector<std::string_view>& keys);

 private:
  struct Block {
    std::uint64_t bytes;
    std::uint32_t checksum;
  };

  Status write_block();
  Status read_block(const Block& block);

  FileSystem* files_;
  std::string directory_;
  std::uint64_t size_ = 0;
  std::string last_;  // the block that is being filled
  File file_;         // contains the earlier blocks
  std::vector<Block> blocks_;
  std::uint64_t disk_bytes_ = 0;

  std::size_t next_block_ = 0;
  std::uint64_t next_offset_ = 0;
  std::string read_;  // the block that was last read from the file
};

void append_to_block(std::string& block, std::string_view key) {
  const std::uint64_t length = key.size();
  char bytes[sizeof length];
  std::memcpy(bytes, &length, sizeof length);
  block.append(bytes, sizeof length);
  block.append(key);
}

// Splits a block into its keys. Precondition: append_to_block() wrote the block, and a checksum guarantees
// its bytes unless they never left memory.
void split_keys(std::string_view block, std::vector<std::string_view>& keys) {
  keys.clear();
  while (!block.empty()) {
    std::uint64_t length = 0;
    assert(block.size() >= sizeof length);
    std::memcpy(&length, block.data(), sizeof length);
    assert(block.size() - sizeof length >= length);
    keys.push_back(block.substr(sizeof length, length));
    block.remove_prefix(sizeof length + length);
  }
}

Status KeyLog::append(std::span<const std::string_view> keys) {
  assert(next_block_ == 0);
  for (const std::string_view key : keys) {
    if (last_.size() >= kBlockBytes) {
      BLOOMERY_RETURN_IF_ERROR(write_block());
    }
    append_to_block(last_, key);
    ++size_;
  }
  return {};
}

Result<bool> KeyLog::next(std::vector<std::string_view>& keys) {
  if (next_block_ > blocks_.size()) {
    keys.clear();
    return false;
  }
  const std::size_t block = next_block_++;
  if (block < blocks_.size()) {
    BLOOMERY_RETURN_IF_ERROR(read_block(blocks_[block]));
    split_keys(read_, keys);
  } else {
    split_keys(last_, keys);
  }
  return !keys.empty();
}

Status KeyLog::write_block() {
  if (blocks_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(file_, create_nameless_file(*files_, directory_, ".bloomery-keys"));
  }
  const std::span<const std::byte> bytes = std::as_bytes(std::span(last_));
  BLOOMERY_RETURN_IF_ERROR(file_.write_all_at(disk_bytes_, bytes));
  blocks_.push_back({.bytes = bytes.size(), .checksum = crc32c(bytes)});
  disk_bytes_ += bytes.size();
  last_.clear();
  return {};
}

Status KeyLog::read_block(const Block& block) {
  read_.resize(block.bytes);
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(read_));
  BLOOMERY_RETURN_IF_ERROR(file_.read_exactly_at(next_offset_, bytes));
  if (const std::uint32_t checksum = crc32c(bytes); checksum != block.checksum) {
    return Error::corruption(file_.path(), next_offset_,
                             "key log: block checksum: expected " + std::to_string(block.checksum) +
                                 ", found " + std::to_string(checksum));
  }
  next_offset_ += block.bytes;
  return {};
}

// Returns true if --dialect includes the filter's size, so that an fpp has no effect.
bool names_size(std::string_view given, const DialectDescription& dialect) {
  const std::size_t colon = given.find(':');
  const std::vector<std::string_view> words =
      option_words(colon == std::string_view::npos ? std::string_view() : given.substr(colon + 1));
  return dialect.sized_by == SizedBy::kOption ||
         (!dialect.size_word.empty() &&
          std::ranges::any_of(words, [&](auto word) { return word.starts_with(dialect.size_word); }));
}

// The number or option that determines a filter's size.
struct SizeSource {
  SizedBy sized_by = SizedBy::kKeys;
  bool is_named = false;  // the dialect's option names it
};

// Checks that the options for the size suit the dialect.
Status check_size_options(const BuildPlan& plan, const SizeSource& size) {
  if (plan.strict && !plan.filter.capacity) {
    return Error::invalid_argument("--strict", "expected with -n, which is what it refuses to exceed");
  }
  if (size.is_named && !plan.filter.assumes_fpp()) {
    return Error::invalid_argument("-p, --bits-per-key", "expected none: the size of a filter of " +
                                                             plan.dialect + " is its option (--dialect)");
  }
  return {};
}

// Builds a filter of a dialect.   Calls: sized_plan add_all
class DialectBuild {
 public:
  DialectBuild(const BuildPlan& plan, const DialectKeyMaking& making, const SizeSource& size)
      : plan_(plan),
        size_(size),
        input_(plan.files, plan.keys.input_shape()),
        maker_(making.treatment, plan.keys.place(), KeyPurpose::kName, making.type),
        waiting_(FileSystem::real(), plan.spool_directory) {}

  // Returns the plan with its size. If the size depends on the number of keys, and a stream has no -n, it
  // reads all keys first.
  Result<DialectPlan> sized_plan() {
    BLOOMERY_RETURN_IF_ERROR(check_size_options(plan_, size_));
    DialectPlan sized;
    if (size_.sized_by != SizedBy::kOption) {
      const FilterPlan size = plan_.filter.sized(0);
      sized.fpp = size.fpp;
      sized.bits_per_key = size.bits_per_key;
    }
    const bool spools =
        size_.sized_by == SizedBy::kCapacity && !plan_.filter.capacity && !input_.can_rewind();
    if (plan_.names_spool_directory && !spools) {
      return Error::invalid_argument(
          "--tmp", "expected only without -n, on a stream whose keys must be counted for " + plan_.dialect);
    }
    if (spools) {
      BLOOMERY_RETURN_IF_ERROR(spool(sized));
    } else if (plan_.filter.capacity || size_.sized_by == SizedBy::kCapacity) {
      BLOOMERY_ASSIGN_OR_RETURN(const auto counted, count_or_counted(plan_, input_));
      capacity_ = *counted;
    }
    sized.capacity = capacity_.keys;
    return sized;
  }

  // Inserts all keys. Returns false if there are more than --strict allows.
  Result<bool> add_all(DialectBuilder& builder) {
    if (capacity_.from == BuildCapacity::From::kSpooled) {
      return add_spooled(builder);
    }
    bool fits = true;
    BLOOMERY_RETURN_IF_ERROR(for_each_keys([&](std::span<const std::string_view> keys) -> Result<bool> {
      fits = !plan_.strict || given_ <= capacity_.keys;
      if (fits) {
        BLOOMERY_RETURN_IF_ERROR(builder.add(keys));
      }
      return fits;
    }));
    return fits;
  }

  const BuildCapacity& capacity() const { return capacity_; }
  // Returns the number of keys made. A skipped line has none.
  std::uint64_t keys_given() const { return given_; }
  const KeyTally& tally() const { return maker_.tally(); }

 private:
  Status for_each_keys(const std::function<Result<bool>(std::span<const std::string_view>)>& use) {
    std::vector<std::string_view> keys;
    return for_each_line_batch("build", input_, [&](LineBatch& batch) -> Result<bool> {
      if (const Status made = maker_.make(batch, input_.first_line(), keys); !made) {
        return made.error().in_file(input_.current_name());
      }
      given_ += keys.size();
      return use(keys);
    });
  }

  // Spools all keys and thereby counts them. Hashes cannot be spooled, because other systems use other
  // hashes.
  Status spool(DialectPlan sample) {
    sample.capacity = 1000;  // so that errors in -p or the dialect are found before a long stream is read
    if (const auto possible = build_dialect(plan_.dialect, sample); !possible) {
      return cannot_do(possible.error());
    }
    BLOOMERY_RETURN_IF_ERROR(for_each_keys([&](std::span<const std::string_view> keys) -> Result<bool> {
      BLOOMERY_RETURN_IF_ERROR(waiting_.append(keys));
      return true;
    }));
    capacity_ = {.keys = waiting_.size(),
                 .from = BuildCapacity::From::kSpooled,
                 .spooled_bytes = waiting_.disk_bytes()};
    return {};
  }

  Result<bool> add_spooled(DialectBuilder& builder) {
    std::vector<std::string_view> keys;
    for (;;) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool more, waiting_.next(keys));
      if (!more) {
        return true;
      }
      BLOOMERY_RETURN_IF_ERROR(builder.add(keys));
    }
  }

  const BuildPlan& plan_;
  SizeSource size_;
  InputFiles input_;
  KeyMaker maker_;
  KeyLog waiting_;
  BuildCapacity capacity_;
  std::uint64_t given_ = 0;
};

void summarize_dialect_build(const DialectFilter& filter, std::uint64_t keys, const std::string& assumed) {
  const DialectFacts facts = filter.facts();
  const auto divisor = static_cast<double>(std::max<std::uint64_t>(keys, 1));
  warn("build",
       fmt::format("{} into {} bits ({}), {:.2f} bits per key, fpp {}{}", show_count_of(keys, "key"),
                   show_count(facts.bits), filter.dialect(), static_cast<double>(facts.bits) / divisor,
                   show_probability(filter.current_fpp()), assumed));
}

}  // namespace

Result<int> build_dialect_filter(const BuildPlan& plan, const OutputFile& output) {
  const std::string& name = plan.dialect;
  BLOOMERY_RETURN_IF_ERROR(check_output_of_dialect(plan.output, name));
  BLOOMERY_ASSIGN_OR_RETURN(const DialectKeyMaking making, keys_of_new_filter(plan.keys, name));
  const std::optional<DialectDescription> known = describe_dialect(name);
  const SizeSource size =
      known ? SizeSource{.sized_by = known->sized_by, .is_named = names_size(name, *known)} : SizeSource();
  DialectBuild build(plan, making, size);
  BLOOMERY_ASSIGN_OR_RETURN(const DialectPlan sized, build.sized_plan());
  Result<std::unique_ptr<DialectBuilder>> builder = build_dialect(name, sized);
  if (!builder) {
    return cannot_do(builder.error());
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool fits, build.add_all(**builder));
  if (!fits) {
    warn("build", fmt::format("refused: more than the {} keys of -n (--strict); nothing was written",
                              show_count(sized.capacity)));
    return static_cast<int>(kRefused);
  }
  BLOOMERY_RETURN_IF_ERROR(plan.rules.check(build.tally(), plan.keys));
  BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<DialectFilter> filter, (*builder)->finish());
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_RETURN_IF_ERROR(output.write(*filter, stop));
  if (plan.summary.wanted_or_amiss(InputRules::amiss(build.tally(), plan.keys))) {
    summarize_dialect_build(*filter, build.keys_given(),
                            size.is_named ? "" : assumed(plan.filter, build.capacity()));
  }
  tell_of_keys("build", build.tally(), plan.keys.place(), telling(plan.summary.declined()));
  warn_over_capacity("build", filter->facts());
  return static_cast<int>(kDone);
}

}  // namespace bloomery::cli
