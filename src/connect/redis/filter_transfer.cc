#include "connect/redis/filter_transfer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_text.h"
#include "base/crc32c.h"
#include "base/message.h"
#include "connect/redis/key_slot.h"

namespace bloomery::redis {
namespace {

constexpr std::string_view kSuffix = ":bloomery-copy";
constexpr std::int64_t kTemporaryLivesMs = 3'600'000;
constexpr int kMostAttempts = 3;
constexpr std::string_view kOurHeader = "BLMR";
constexpr std::string_view kOurChunk = "BLMC";
constexpr std::size_t kOurChunkHeadBytes = 24;
// DUMP ends with the version of RDB and a checksum, in which servers differ.
constexpr std::size_t kDumpFootBytes = 10;

std::span<const std::byte> bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The commands of a dump, which also select the module if a server has two.
struct Prefix {
  const char* scan;
  const char* load;
};
constexpr Prefix kBf = {.scan = "BF.SCANDUMP", .load = "BF.LOADCHUNK"};
constexpr Prefix kCf = {.scan = "CF.SCANDUMP", .load = "CF.LOADCHUNK"};
constexpr Prefix kOurs = {.scan = "BLOOM.SCANDUMP", .load = "BLOOM.LOADCHUNK"};

bool is_ours(const FoundFilter& filter) {
  return filter.type.starts_with("bloomery");
}
bool is_dumped_at_once(const FoundFilter& filter) {
  return filter.type == "bloomeryF" || filter.type == "bloomfltr";
}
const Prefix& family_prefix(const FoundFilter& filter) {
  return filter.type == "MBbloomCF" || filter.type == "bloomeryQ" ? kCf : kBf;
}
const Prefix& source_prefix(const FoundFilter& filter) {
  return is_ours(filter) ? kOurs : family_prefix(filter);
}
const Prefix& destination_prefix(const FoundFilter& filter, std::string_view header) {
  return header.starts_with(kOurHeader) ? kOurs : family_prefix(filter);
}

std::string subject_of_copy(const Client& client, const std::string& key) {
  return message(client.name(), ": key ", escape_bytes(key));
}

// What two equal filters have in common: the header, and the payload of all chunks. Servers cut the payload
// differently.
struct DumpDigest {
  std::string header;  // empty for a cuckoo filter of RedisBloom without items, whose dump is empty
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;

  bool operator==(const DumpDigest&) const = default;
};

std::uint64_t checksum_and_size(std::string_view bytes) {
  return std::uint64_t{crc32c(bytes_of_text(bytes))} << 32 | (bytes.size() & 0xffffffffU);
}

struct Step {
  std::int64_t iterator = 0;
  std::string bytes;
};

Result<Step> scan_dump_step(Client& client, const char* command, const std::string& key,
                            std::int64_t iterator) {
  BLOOMERY_ASSIGN_OR_RETURN(Reply reply,
                            client.run(Request(Command(command).key(key).word(iterator).repeatable())));
  const bool is_right = reply.kind == Reply::Kind::kArray && reply.elements.size() == 2 &&
                        reply.elements[0].kind == Reply::Kind::kInteger;
  const std::int64_t next = is_right ? reply.elements[0].integer : 0;
  if (!is_right || (next != 0 && (next <= iterator || reply.elements[1].text.empty()))) {
    return Error(ErrorCode::kCorruption, subject_of_copy(client, key),
                 "expected the next chunk of a dump, found " + reply.describe());
  }
  return Step{.iterator = next, .bytes = next == 0 ? std::string() : std::move(reply.elements[1].text)};
}

// Reads a dump. Calls take(step) for the header and each chunk.
template <typename Take>
Result<DumpDigest> read_whole_dump(Client& client, const char* command, const std::string& key, Take take) {
  DumpDigest digest;
  BLOOMERY_ASSIGN_OR_RETURN(Step step, scan_dump_step(client, command, key, 0));
  digest.header = step.bytes;
  while (step.iterator != 0) {
    BLOOMERY_RETURN_IF_ERROR(take(step));
    BLOOMERY_ASSIGN_OR_RETURN(step, scan_dump_step(client, command, key, step.iterator));
    std::string_view payload = step.bytes;
    if (digest.header.starts_with(kOurHeader) && payload.starts_with(kOurChunk)) {
      payload.remove_prefix(std::min(payload.size(), kOurChunkHeadBytes));
    }
    digest.bytes += payload.size();
    digest.crc = crc32c(bytes_of_text(payload), digest.crc);
  }
  return digest;
}

Status stopped_unless(bool goes_on, const Client& client) {
  return goes_on ? Status()
                 : Error::io(client.name(), "copy of filters, which the next run goes on with", EINTR);
}

// One copy of one key: its two servers, and the temporary key.
class KeyTransfer {
 public:
  KeyTransfer(Client& from, Client& to, const FoundFilter& filter, const TransferProgress& progress)
      : from_(from),
        to_(to),
        filter_(filter),
        progress_(progress),
        temporary_(key_beside(filter.key, kSuffix)) {}

  Result<FilterTransfer> run(IfOther if_other);

 private:
  Result<bool> exists() const;
  Status check_lease() const;
  // Loads the source into the temporary key, verified. Sets digest_ or dump_.
  Status load();
  Result<bool> load_chunks();
  Status load_empty(const std::string& name) const;
  Status restore();
  // Returns true if the destination's key has the value of the source.
  Result<bool> is_equal();
  Result<bool> is_equal_by_chunks();
  Status run_on_destination(const Command& command) const;
  // Gives the temporary key the time to live of the source and the name of the key.
  Status finish(IfOther if_other) const;
  Result<std::int64_t> left_to_live() const;
  FilterTransfer outcome(bool was_there) const;

  Client& from_;
  Client& to_;
  const FoundFilter& filter_;
  const TransferProgress& progress_;
  std::string temporary_;
  DumpDigest digest_;
  std::string dump_;
};

Result<std::string> dump_of(Client& client, const std::string& key) {
  BLOOMERY_ASSIGN_OR_RETURN(Reply reply, client.run(Request(Command("DUMP").key(key).repeatable())));
  if (reply.kind != Reply::Kind::kBytes || reply.text.size() <= kDumpFootBytes) {
    return Error(reply.kind == Reply::Kind::kNil ? ErrorCode::kNotFound : ErrorCode::kCorruption,
                 subject_of_copy(client, key), "expected a dump of the key, found " + reply.describe());
  }
  return std::move(reply.text);
}

std::string_view without_foot(std::string_view dump) {
  return dump.substr(0, dump.size() - kDumpFootBytes);
}

Result<bool> KeyTransfer::exists() const {
  BLOOMERY_ASSIGN_OR_RETURN(const Reply reply,
                            to_.run(Request(Command("EXISTS").key(filter_.key).repeatable())));
  return reply.integer != 0;
}

Status KeyTransfer::check_lease() const {
  if (!is_ours(filter_)) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Reply info,
                            from_.run(Request(Command("BLOOM.INFO").key(filter_.key).repeatable())));
  const Reply* const record = info.field("record");
  const bool is_fed = record != nullptr && record->kind == Reply::Kind::kBytes;
  if (is_fed || info.number("lease-until").value_or(0) != 0) {
    return Error::invalid_argument(subject_of_copy(from_, filter_.key),
                                   "it has a lease, so only a feeder keeps its answers right: let the feeder "
                                   "write to the other server");
  }
  return {};
}

Status KeyTransfer::run_on_destination(const Command& command) const {
  BLOOMERY_RETURN_IF_ERROR(to_.run(Request(command)));
  return {};
}

// RedisBloom dumps a cuckoo filter without items as nothing. The numbers of CF.INFO make an equal one.
constexpr std::array<const char*, 5> kEmptyFields = {"Number of buckets", "Bucket size", "Max iterations",
                                                     "Expansion rate", "Number of items inserted"};

Result<std::array<std::int64_t, kEmptyFields.size()>> numbers_of_empty(Client& client,
                                                                       const std::string& key) {
  BLOOMERY_ASSIGN_OR_RETURN(const Reply info, client.run(Request(Command("CF.INFO").key(key).repeatable())));
  std::array<std::int64_t, kEmptyFields.size()> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = info.number(kEmptyFields[i]);
    if (!number || *number < 0 || *number > std::int64_t{1} << 56) {
      return Error(ErrorCode::kCorruption, subject_of_copy(client, key),
                   message("expected ", kEmptyFields[i], " of CF.INFO"));
    }
    numbers[i] = *number;
  }
  return numbers;
}

Status KeyTransfer::load_empty(const std::string& name) const {
  BLOOMERY_ASSIGN_OR_RETURN(const auto numbers, numbers_of_empty(from_, filter_.key));
  std::int64_t capacity = 0;
  if (__builtin_mul_overflow(numbers[0], numbers[1], &capacity)) {
    return Error(ErrorCode::kCorruption, subject_of_copy(from_, filter_.key), "expected fewer buckets");
  }
  Command reserve("CF.RESERVE");
  reserve.key(name).word(capacity).word("BUCKETSIZE").word(numbers[1]);
  reserve.word("MAXITERATIONS").word(numbers[2]).word("EXPANSION").word(numbers[3]);
  BLOOMERY_RETURN_IF_ERROR(run_on_destination(reserve));
  Command expire("PEXPIRE");
  return run_on_destination(expire.key(name).word(kTemporaryLivesMs));
}

// Returns false if the source changed meanwhile.
Result<bool> KeyTransfer::load_chunks() {
  BLOOMERY_RETURN_IF_ERROR(run_on_destination(Command("UNLINK").key(temporary_).repeatable()));
  const Prefix& source = source_prefix(filter_);
  const Prefix* destination = nullptr;
  BLOOMERY_ASSIGN_OR_RETURN(
      digest_, read_whole_dump(from_, source.scan, filter_.key, [&](const Step& step) -> Status {
        destination = destination == nullptr ? &destination_prefix(filter_, step.bytes) : destination;
        std::vector<Command> both;
        both.push_back(Command(destination->load).key(temporary_).word(step.iterator).word(step.bytes));
        both.push_back(Command("PEXPIRE").key(temporary_).word(kTemporaryLivesMs));
        BLOOMERY_ASSIGN_OR_RETURN(const Reply replies, to_.run(Request(std::move(both))));
        for (const Reply& reply : replies.elements) {
          if (reply.is_error()) {
            return error_of(reply, subject_of_copy(to_, temporary_));
          }
        }
        return stopped_unless(progress_(step.bytes.size()), from_);
      }));
  if (destination == nullptr) {
    BLOOMERY_RETURN_IF_ERROR(load_empty(temporary_));
    return true;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Step again, scan_dump_step(from_, source.scan, filter_.key, 0));
  if (again.bytes != digest_.header) {
    return false;
  }
  if (source.scan == kCf.scan) {  // a compaction moves items, and may leave the header as it was
    BLOOMERY_ASSIGN_OR_RETURN(const DumpDigest once_more,
                              read_whole_dump(from_, source.scan, filter_.key, [&](const Step& /*step*/) {
                                return stopped_unless(progress_(0), from_);
                              }));
    if (once_more != digest_) {
      return false;
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(const DumpDigest copied,
                            read_whole_dump(to_, destination->scan, temporary_, [&](const Step& /*step*/) {
                              return stopped_unless(progress_(0), from_);
                            }));
  if (copied != digest_) {
    return Error(ErrorCode::kCorruption, subject_of_copy(to_, temporary_),
                 message("expected the filter of ", digest_.bytes,
                         " bytes that was loaded, found another of ", copied.bytes, " bytes"));
  }
  return true;
}

Status KeyTransfer::restore() {
  BLOOMERY_ASSIGN_OR_RETURN(dump_, dump_of(from_, filter_.key));
  Command restore("RESTORE");
  restore.key(temporary_).word(kTemporaryLivesMs).word(dump_).word("REPLACE").repeatable();
  BLOOMERY_RETURN_IF_ERROR(run_on_destination(restore));
  BLOOMERY_RETURN_IF_ERROR(stopped_unless(progress_(dump_.size()), from_));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string copied, dump_of(to_, temporary_));
  if (without_foot(copied) != without_foot(dump_)) {
    return Error(ErrorCode::kCorruption, subject_of_copy(to_, temporary_),
                 "expected the bytes of DUMP that were restored, found others");
  }
  return {};
}

Status KeyTransfer::load() {
  if (is_dumped_at_once(filter_)) {
    return restore();
  }
  for (int i = 0; i < kMostAttempts; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_done, load_chunks());
    if (is_done) {
      return {};
    }
  }
  return Error::invalid_argument(
      subject_of_copy(from_, filter_.key),
      message("it changed during each of ", kMostAttempts, " copies: stop its writers, and copy again"));
}

// Compares the headers first: a filter of other items has another header, so the chunks are seldom read in
// vain.
Result<bool> KeyTransfer::is_equal_by_chunks() {
  const Prefix& source = source_prefix(filter_);
  BLOOMERY_ASSIGN_OR_RETURN(const Step header, scan_dump_step(from_, source.scan, filter_.key, 0));
  if (header.iterator == 0) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto of_source, numbers_of_empty(from_, filter_.key));
    const auto of_copy = numbers_of_empty(to_, filter_.key);
    return of_copy && *of_copy == of_source;
  }
  const Prefix& destination = destination_prefix(filter_, header.bytes);
  const auto of_copy = scan_dump_step(to_, destination.scan, filter_.key, 0);
  if (!of_copy || of_copy->bytes != header.bytes) {
    // A key of another type has no dump. A lost connection is found by the next command.
    return false;
  }
  const auto watch = [&](const Step& /*step*/) { return stopped_unless(progress_(0), from_); };
  BLOOMERY_ASSIGN_OR_RETURN(const DumpDigest copied,
                            read_whole_dump(to_, destination.scan, filter_.key, watch));
  BLOOMERY_ASSIGN_OR_RETURN(digest_, read_whole_dump(from_, source.scan, filter_.key, watch));
  return copied == digest_;
}

Result<bool> KeyTransfer::is_equal() {
  if (!is_dumped_at_once(filter_)) {
    return is_equal_by_chunks();
  }
  BLOOMERY_ASSIGN_OR_RETURN(dump_, dump_of(from_, filter_.key));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string copied, dump_of(to_, filter_.key));
  return without_foot(copied) == without_foot(dump_);
}

Result<std::int64_t> KeyTransfer::left_to_live() const {
  BLOOMERY_ASSIGN_OR_RETURN(const Reply reply,
                            from_.run(Request(Command("PTTL").key(filter_.key).repeatable())));
  constexpr std::int64_t kNoKey = -2;
  if (reply.kind != Reply::Kind::kInteger || reply.integer == kNoKey) {
    return Error(ErrorCode::kNotFound, subject_of_copy(from_, filter_.key),
                 "expected a time to live, found " + reply.describe());
  }
  return reply.integer;
}

Command expire_like(const std::string& key, std::int64_t left_to_live) {
  return left_to_live < 0 ? Command("PERSIST").key(key) : Command("PEXPIRE").key(key).word(left_to_live);
}

Status KeyTransfer::finish(IfOther if_other) const {
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t left, left_to_live());
  std::vector<Command> both;
  both.push_back(expire_like(temporary_, left));
  both.push_back(
      Command(if_other == IfOther::kReplace ? "RENAME" : "RENAMENX").key(temporary_).key(filter_.key));
  BLOOMERY_ASSIGN_OR_RETURN(const Reply replies, to_.run(Request(std::move(both))));
  if (replies.elements.size() != 2 || replies.elements[1].is_error()) {
    return Error::invalid_argument(
        subject_of_copy(to_, filter_.key),
        "expected that the temporary key gets its name, found " +
            (replies.elements.size() == 2 ? replies.elements[1] : replies).describe());
  }
  if (if_other == IfOther::kRefuse && replies.elements[1].integer != 1) {
    return Error::invalid_argument(subject_of_copy(to_, filter_.key), "somebody made the key meanwhile");
  }
  return {};
}

FilterTransfer KeyTransfer::outcome(bool was_there) const {
  const bool at_once = is_dumped_at_once(filter_);
  return {.was_there = was_there,
          .bytes = at_once ? dump_.size() : digest_.header.size() + digest_.bytes,
          .mark = checksum_and_size(at_once ? without_foot(dump_) : std::string_view(digest_.header))};
}

Result<FilterTransfer> KeyTransfer::run(IfOther if_other) {
  BLOOMERY_RETURN_IF_ERROR(check_lease());
  if (to_.is_cluster() && key_slot(temporary_) != key_slot(filter_.key)) {
    return Error::invalid_argument(
        subject_of_copy(to_, filter_.key),
        "no temporary key can be in its slot, since its name has a } and no hash tag");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, exists());
  if (is_there) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool equal, is_equal());
    if (equal) {
      BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t left, left_to_live());
      BLOOMERY_RETURN_IF_ERROR(run_on_destination(expire_like(filter_.key, left)));
      return outcome(true);
    }
    if (if_other == IfOther::kRefuse) {
      return Error::invalid_argument(subject_of_copy(to_, filter_.key),
                                     "it exists and differs from its source; --replace replaces it");
    }
  }
  Status done = load();
  done = done ? finish(if_other) : done;
  if (!done) {
    // Without a connection the temporary key expires.
    static_cast<void>(run_on_destination(Command("UNLINK").key(temporary_).repeatable()));
    return done.error();
  }
  return outcome(false);
}

}  // namespace

Result<FilterTransfer> transfer_filter(Client& from, Client& to, const FoundFilter& filter, IfOther if_other,
                                       const TransferProgress& progress) {
  return KeyTransfer(from, to, filter, progress).run(if_other);
}

Result<std::uint64_t> mark_of(Client& from, const FoundFilter& filter) {
  if (is_dumped_at_once(filter)) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string dump, dump_of(from, filter.key));
    return checksum_and_size(without_foot(dump));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Step header,
                            scan_dump_step(from, source_prefix(filter).scan, filter.key, 0));
  return checksum_and_size(header.bytes);
}

bool is_of_transfer(const std::string& key) {
  return key.ends_with(kSuffix);
}

}  // namespace bloomery::redis
