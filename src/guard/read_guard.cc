#include "guard/read_guard.h"

#include <algorithm>
#include <utility>

#include "bloomery/guard/leased_source.h"
#include "bloomery/guard/memory_cache.h"

namespace bloomery::guard {
namespace {

thread_local const ReadLoad* load_of_thread = nullptr;

// Sets the load of this thread until the end of the scope.
class LoadScope {
 public:
  explicit LoadScope(const ReadLoad& load) : before_(std::exchange(load_of_thread, &load)) {}
  LoadScope(const LoadScope&) = delete;
  LoadScope& operator=(const LoadScope&) = delete;
  ~LoadScope() { load_of_thread = before_; }

 private:
  const ReadLoad* before_;
};

Result<Loaded> load_of_read(std::string_view /*key*/, const LoadContext& /*context*/) {
  return load_of_thread != nullptr
             ? (*load_of_thread)()
             : Result<Loaded>(
                   Error(ErrorCode::kIo, "guard", "expected a load in the thread of a read, found none"));
}

}  // namespace

Result<std::unique_ptr<Guard>> make_read_guard(const std::string& path, const HashSecret* secret,
                                               std::uint64_t cache_bytes, std::chrono::milliseconds keep,
                                               GuardOptions options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto source, LeasedSource::open(path, {.secret = secret}));
  options.times = {.fresh = keep, .keep = keep, .jitter = 0};
  options.copy_bytes = 0;
  // The cache is in memory and never down, so this limit must only be a valid one.
  options.loads_without_cache = std::min(options.loads_without_cache, std::max(options.loads_at_once, 1U));
  return Guard::make(std::move(source), MemoryCache::make(cache_bytes), load_of_read, options);
}

Result<Answer> read(Guard& guard, std::string_view key, const ReadLoad& load) {
  const LoadScope scope(load);
  return guard.get(key);
}

}  // namespace bloomery::guard
