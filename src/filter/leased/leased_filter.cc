#include "bloomery/filter/leased_filter.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "bloomery/hash/hash_secret.h"
#include "filter/leased/lease_page.h"

namespace bloomery {

namespace {

// A filter that could not be opened is tried again after this time, not at every query.
constexpr std::uint64_t kRetryNs = 50'000'000;

// Reads the secret from the file's key file. Returns nothing if there is none.
Result<std::optional<HashSecret>> secret_beside(const std::string& path) {
  const Result<HashSecret> secret = HashSecret::load(path + ".key");
  if (!secret) {
    return secret.error().code() == ErrorCode::kNotFound ? Result<std::optional<HashSecret>>(std::nullopt)
                                                         : secret.error();
  }
  return std::optional(*secret);
}

}  // namespace

struct LeasedFilter::Shared {
  Shared(LeasePage opened_page, const OpenOptions& given, const std::optional<HashSecret>& secret_of_keys)
      : page(std::move(opened_page)),
        options(given),
        secret(secret_of_keys),
        has_given_secret(given.secret != nullptr) {
    options.access = Access::kMap;
    options.while_updated = WhileUpdated::kServe;
    options.lock = nullptr;
    options.without_secret = false;  // a key hashed without the secret would be a false negative
    options.secret = secret ? &*secret : nullptr;
  }

  // Calls `ask(filter)` if a filter has a valid lease. Returns false if none has.
  template <typename Ask>
  bool ask_valid(const Ask& ask) {
    if (try_ask(ask)) {
      return true;
    }
    return renewed() && try_ask(ask);
  }

  template <typename Ask>
  bool try_ask(const Ask& ask) {
    const std::shared_lock lock(mutex);
    if (!filter || !page.vouches_for(generation, boot_clock_ns())) {
      return false;
    }
    ask(*filter);
    return static_cast<bool>(filter->file_status());
  }

  // Opens the filter of the page's generation if it is not open yet. Returns true if it is open now.
  bool renewed() {
    const std::uint64_t now = boot_clock_ns();
    const std::uint64_t wanted = page.generation();
    if (wanted == 0 || page.remaining_ns(now) == 0 || now < retry_at.load(std::memory_order_relaxed)) {
      return false;
    }
    const std::unique_lock lock(mutex);
    if (filter && generation == wanted) {
      return true;  // another thread was here first
    }
    if (!adopt(wanted)) {
      retry_at.store(now + kRetryNs, std::memory_order_relaxed);
      return false;
    }
    return true;
  }

  // Opens a generation in place of the present one. Errors: kInvalidArgument if a caller makes its keys in
  // the form of an earlier filter, and this one has another form, since such a query would be a false
  // negative. Also the errors of BlockedBloomFilter::open(). Precondition: the caller holds the lock
  // exclusively.
  Status adopt(std::uint64_t wanted) {
    const std::string path = page.filter_path(wanted);
    OpenOptions of_filter = options;
    std::optional<HashSecret> own;
    if (!has_given_secret) {
      BLOOMERY_ASSIGN_OR_RETURN(own, secret_beside(path));
      of_filter.secret = own ? &*own : options.secret;
    }
    BLOOMERY_ASSIGN_OR_RETURN(BlockedBloomFilter opened, BlockedBloomFilter::open(path, of_filter));
    const bool is_other = opened.hash_spec() != spec || opened.key_treatment() != treatment;
    if (is_fixed.load(std::memory_order_relaxed) && is_other) {
      return Error::invalid_argument(
          page.path(), "expected the same keys and hash as before, found others: open it again");
    }
    if (is_other) {  // nobody has read the form
      spec = opened.hash_spec();
      treatment = opened.key_treatment();
    }
    filter.emplace(std::move(opened));
    generation = wanted;
    return {};
  }

  // Returns the hash of a key in the form of the present filter. Errors: those of LeasedFilter::key_of().
  Result<Hash128> hash_of(std::span<const std::string_view> parts) {
    std::shared_lock lock(mutex);
    if (!filter) {
      lock.unlock();
      (void)renewed();  // the first filter may be complete by now
      lock.lock();
    }
    if (!filter) {
      return Error(ErrorCode::kNotFound, page.path(), "expected a filter, found that none was complete yet");
    }
    return filter->key_of(parts);
  }

  // Fixes the present form of keys, because a caller that reads it makes its keys in that form.
  void fix_form() {
    if (!is_fixed.load(std::memory_order_acquire)) {
      const std::unique_lock lock(mutex);
      is_fixed.store(true, std::memory_order_release);
    }
  }

  LeasePage page;
  OpenOptions options;
  std::optional<HashSecret> secret;
  bool has_given_secret = false;  // filters have no secrets of their own then
  std::shared_mutex mutex;        // guards the filter, its generation, and the form of keys until it is fixed
  std::optional<BlockedBloomFilter> filter;
  std::uint64_t generation = 0;
  std::atomic<std::uint64_t> retry_at{0};
  // The form of keys: that of the present filter, until a caller reads it. Then it never changes.
  std::atomic<bool> is_fixed{false};
  HashSpec spec;
  KeyTreatment treatment;
};

LeasedFilter::LeasedFilter(std::unique_ptr<Shared> shared) : shared_(std::move(shared)) {}
LeasedFilter::LeasedFilter(LeasedFilter&&) noexcept = default;
LeasedFilter& LeasedFilter::operator=(LeasedFilter&&) noexcept = default;
LeasedFilter::~LeasedFilter() = default;

Result<LeasedFilter> LeasedFilter::open(const std::string& path, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(LeasePage page, LeasePage::open(path));
  std::optional<HashSecret> secret;
  if (options.secret != nullptr) {
    secret = *options.secret;
  } else {
    BLOOMERY_ASSIGN_OR_RETURN(secret, secret_beside(path));
  }
  auto shared = std::make_unique<Shared>(std::move(page), options, secret);
  // If a crashed feeder left the filter dirty, or a rebuild has removed its file, the answer is maybe. But a
  // caller that lacks the secret, or refuses recorded keys (OpenOptions), gets the error now.
  if (const std::uint64_t generation = shared->page.generation(); generation != 0) {
    const Status adopted = shared->adopt(generation);
    if (!adopted && adopted.error().code() == ErrorCode::kInvalidArgument) {
      return adopted.error();
    }
  }
  if (!shared->filter && secret) {
    shared->spec = keyed_hash(*secret);
  }
  return LeasedFilter(std::move(shared));
}

bool LeasedFilter::is_one(const std::string& path) {
  return LeasePage::is_one(path);
}

bool LeasedFilter::may_contain(const Hash128& hash) const {
  return answer(hash) != LeaseAnswer::kNo;
}

LeaseAnswer LeasedFilter::answer(const Hash128& hash) const {
  bool maybe = true;
  const bool is_valid =
      shared_->ask_valid([&](const BlockedBloomFilter& filter) { maybe = filter.may_contain(hash); });
  if (!is_valid) {
    return LeaseAnswer::kNoLease;
  }
  shared_->fix_form();  // the caller made the hash in it
  return maybe ? LeaseAnswer::kMaybe : LeaseAnswer::kNo;
}

// The filter that answers also makes the key, so that no rebuild comes between the two.
Result<LeaseAnswer> LeasedFilter::answer(std::span<const std::string_view> parts) const {
  std::optional<Error> wrong;
  bool maybe = true;
  const bool is_valid = shared_->ask_valid([&](const BlockedBloomFilter& filter) {
    if (const Result<Hash128> hash = filter.key_of(parts); hash) {
      maybe = filter.may_contain(*hash);
    } else {
      wrong = hash.error();
    }
  });
  if (!is_valid) {
    const Result<Hash128> hash = shared_->hash_of(parts);
    return hash || hash.error().code() == ErrorCode::kNotFound ? Result<LeaseAnswer>(LeaseAnswer::kNoLease)
                                                               : hash.error();
  }
  if (wrong) {
    return *wrong;
  }
  return maybe ? LeaseAnswer::kMaybe : LeaseAnswer::kNo;
}

void LeasedFilter::may_contain_batch(std::span<const Hash128> hashes,
                                     std::span<std::uint64_t> answers) const {
  const bool is_valid = shared_->ask_valid(
      [&](const BlockedBloomFilter& filter) { filter.may_contain_batch(hashes, answers); });
  if (is_valid) {
    shared_->fix_form();
    return;
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    answers[i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

const HashSpec& LeasedFilter::hash_spec() const {
  shared_->fix_form();
  return shared_->spec;
}

const KeyTreatment& LeasedFilter::key_treatment() const {
  shared_->fix_form();
  return shared_->treatment;
}

Result<Hash128> LeasedFilter::key_of(std::string_view text) const {
  return key_of(std::span(&text, 1));
}

Result<Hash128> LeasedFilter::key_of(std::span<const std::string_view> parts) const {
  if (const Result<Hash128> hash = shared_->hash_of(parts); !hash) {
    return hash;
  }
  shared_->fix_form();
  return shared_->hash_of(parts);
}

LeaseState LeasedFilter::state() const {
  const LeasePage& page = shared_->page;
  const std::uint64_t bound = page.bound_ns();
  const std::uint64_t now = boot_clock_ns();
  const std::uint64_t left = page.remaining_ns(now);
  const std::uint64_t generation = page.generation();
  // The bound changes only while the lease is over, so an equal one is that of the lease.
  const std::uint64_t remaining = page.bound_ns() == bound ? left : 0;
  return {.holds = remaining != 0 && generation != 0,
          .remaining_ns = remaining,
          .complete_at_ns = remaining != 0 && now + remaining > bound ? now + remaining - bound : 0,
          .generation = generation,
          .position = page.position()};
}

double LeasedFilter::current_fpp() const {
  const std::shared_lock lock(shared_->mutex);
  return shared_->filter ? shared_->filter->current_fpp() : 1;
}

std::uint64_t LeasedFilter::capacity() const {
  const std::shared_lock lock(shared_->mutex);
  return shared_->filter ? shared_->filter->capacity() : 0;
}

double LeasedFilter::target_fpp() const {
  const std::shared_lock lock(shared_->mutex);
  return shared_->filter ? shared_->filter->target_fpp() : 1;
}

}  // namespace bloomery
