#include "cli/hfile/cell_pipeline.h"

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

#include "cli/hfile/quiet_thread.h"

namespace bloomery::cli {
namespace {

using Take = std::function<Status(const CellBatch&)>;

Status take_one(const CellBatch& batch, const Take& take) {
  BLOOMERY_RETURN_IF_ERROR(take(batch));
  return batch.error() ? Status(*batch.error()) : Status();
}

class Ring {
 public:
  // A batch to fill; null when no more are wanted.
  CellBatch* empty_one() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return filled_ - taken_ < kSlots || !outcome_; });
    return outcome_ ? &slots_[filled_ % kSlots] : nullptr;
  }

  void put(bool is_end) {
    const std::lock_guard lock(mutex_);
    at_end_ = is_end;
    filled_ += is_end ? 0 : 1;
    changed_.notify_all();
  }

  // Takes until the end or an error, which becomes the outcome.
  void take_all(const Take& take) {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return filled_ > taken_ || at_end_; });
        if (filled_ == taken_) {
          return;
        }
      }
      Status taken = take_next(take);
      const std::lock_guard lock(mutex_);
      ++taken_;
      changed_.notify_all();
      if (!taken) {
        outcome_ = taken;
        return;
      }
    }
  }

  // Precondition: nobody takes any more. Throws what a take threw.
  const Status& outcome() const {
    if (thrown_) {
      std::rethrow_exception(thrown_);
    }
    return outcome_;
  }

 private:
  // For want of memory it may throw, which must not leave the thread.
  Status take_next(const Take& take) {
    try {
      return take_one(slots_[taken_ % kSlots], take);
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
  std::uint64_t taken_ = 0;
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

Status for_each_batch(LineSource& source, const CellParser& parser, bool with_thread, const Take& take) {
  if (!with_thread) {
    CellBatch batch;
    while (batch.fill(source, parser)) {
      BLOOMERY_RETURN_IF_ERROR(take_one(batch, take));
    }
    return {};
  }
  Ring ring;
  std::thread taker = quiet_thread([&] { ring.take_all(take); });
  std::exception_ptr thrown;
  try {
    fill_all(ring, source, parser);
  } catch (...) {  // the thread has to be joined first
    thrown = std::current_exception();
  }
  ring.put(true);
  taker.join();
  if (thrown) {
    std::rethrow_exception(thrown);
  }
  return ring.outcome();
}

}  // namespace bloomery::cli
