#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

#include "cli/hfile/cell_batch.h"
#include "cli/hfile/quiet_thread.h"

namespace bloomery::cli {
namespace {

using Consume = std::function<Status(const CellBatch&)>;

Status consume_one(const CellBatch& batch, const Consume& consume) {
  BLOOMERY_RETURN_IF_ERROR(consume(batch));
  return batch.error() ? Status(*batch.error()) : Status();
}

// The ring of batches between the two threads. The reader owns a slot while it fills it, the consumer while
// it consumes it. The counters, guarded by the mutex, determine the owner.
class Ring {
 public:
  // Waits for an empty batch. Returns null if consuming has failed, so that no more batches are needed.
  CellBatch* empty_one() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return filled_ - consumed_ < kSlots || !outcome_; });
    return outcome_ ? &slots_[filled_ % kSlots] : nullptr;
  }

  void put(bool is_end) {
    const std::lock_guard lock(mutex_);
    at_end_ = is_end;
    filled_ += is_end ? 0 : 1;
    changed_.notify_all();
  }

  // Consumes batches until the end or an error. The error becomes the outcome.
  void consume_all(const Consume& consume) {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return filled_ > consumed_ || at_end_; });
        if (filled_ == consumed_) {
          return;
        }
      }
      Status consumed = consume_next(consume);
      const std::lock_guard lock(mutex_);
      ++consumed_;
      changed_.notify_all();
      if (!consumed) {
        outcome_ = consumed;
        return;
      }
    }
  }

  // Returns the outcome, or rethrows an exception of the consumer. Precondition: consuming has ended.
  const Status& outcome() const {
    if (thrown_) {
      std::rethrow_exception(thrown_);
    }
    return outcome_;
  }

 private:
  // Catches what a consumer throws if memory is exhausted, because an exception must not leave the thread.
  Status consume_next(const Consume& consume) {
    try {
      return consume_one(slots_[consumed_ % kSlots], consume);
    } catch (...) {
      thrown_ = std::current_exception();
      return Error::capacity("hfile write", "a batch of cells was not taken");
    }
  }

  static constexpr std::size_t kSlots = 4;

  std::array<CellBatch, kSlots> slots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t filled_ = 0;
  std::uint64_t consumed_ = 0;
  bool at_end_ = false;
  Status outcome_;
  std::exception_ptr thrown_;
};

void fill_all(Ring& ring, LineSource& source, const CellParser& parser) {
  while (CellBatch* const batch = ring.empty_one()) {
    const bool more = batch->fill(source, parser);
    const bool is_last = !more || batch->error();
    if (more) {
      ring.put(false);
    }
    if (is_last) {
      return;
    }
  }
}

}  // namespace

Status for_each_batch(LineSource& source, const CellParser& parser, bool with_thread,
                      const Consume& consume) {
  if (!with_thread) {
    CellBatch batch;
    while (batch.fill(source, parser)) {
      BLOOMERY_RETURN_IF_ERROR(consume_one(batch, consume));
    }
    return {};
  }
  Ring ring;
  std::thread consumer = quiet_thread([&] { ring.consume_all(consume); });
  std::exception_ptr thrown;
  try {
    fill_all(ring, source, parser);
  } catch (...) {  // rethrown below, once the thread is joined
    thrown = std::current_exception();
  }
  ring.put(true);
  consumer.join();
  if (thrown) {
    std::rethrow_exception(thrown);
  }
  return ring.outcome();
}

}  // namespace bloomery::cli
