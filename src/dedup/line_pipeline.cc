#include "dedup/line_pipeline.h"

#include <algorithm>
#include <pthread.h>
#include <utility>

#include "base/ending_signals.h"

namespace bloomery {
namespace {

// The most bytes of later lines that LineReader buffers: one read, and the rest of the read before it.
constexpr std::uint64_t kReadAheadBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kBytesPerLine = sizeof(std::string_view) + sizeof(Hash128);

}  // namespace

LinePipeline::LinePipeline(InputFiles& input, std::atomic<bool>& stop, const KeyRecipe& recipe)
    : input_(input), stop_(stop), recipe_(recipe) {
  for (Slot& slot : slots_) {
    if (recipe.keep_keys) {
      slot.maker.emplace(recipe.treatment, recipe.place);
    }
  }
  reader_ = std::thread([this] { read_all(); });
  old_signals_ = block_ending_signals();  // the reader thread is older, so it still receives them
}

LinePipeline::~LinePipeline() {
  stop_ = true;
  wake_until_finished();
  reader_.join();
  (void)::pthread_sigmask(SIG_SETMASK, &old_signals_, nullptr);
}

// The signal may arrive just before the read that it should interrupt. So it is sent again until the reader
// ends.
void LinePipeline::wake_until_finished() {
  struct sigaction action {};
  struct sigaction old {};
  action.sa_handler = [](int) {};  // no SA_RESTART, so that system calls end with EINTR
  (void)::sigaction(SIGURG, &action, &old);
  {
    std::unique_lock lock(mutex_);
    released_ = true;
    changed_.notify_all();
    while (!changed_.wait_for(lock, std::chrono::milliseconds(2), [this] { return finished_; })) {
      ::pthread_kill(reader_.native_handle(), SIGURG);
    }
  }
  (void)::sigaction(SIGURG, &old, nullptr);
}

void LinePipeline::read_all() {
  KeyHasher hasher(recipe_.hash, recipe_.treatment, recipe_.place);
  for (std::uint64_t index = 0;; ++index) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return index - taken_ < kSlots || released_; });
      if (released_) {
        break;
      }
    }
    const Result<bool> filled = fill(slots_[index % kSlots], hasher);
    const std::lock_guard lock(mutex_);
    if (!filled) {
      outcome_ = filled.error();
    }
    at_end_ = !filled || !*filled;
    filled_ += at_end_ ? 0 : 1;
    changed_.notify_all();
    if (at_end_) {
      break;
    }
  }
  // The thread continues, so that it receives signals until the caller is finished.
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return released_; });
  finished_ = true;
  changed_.notify_all();
}

Result<bool> LinePipeline::fill(Slot& slot, KeyHasher& hasher) {
  if (bad_key_) {
    return *bad_key_;
  }
  KeyedBatch& batch = slot.batch;
  BLOOMERY_ASSIGN_OR_RETURN(const bool more, input_.next(batch.lines));
  if (!more) {
    return false;
  }
  batch.bytes_read = input_.bytes_read();
  const KeyTally before = recipe_.keep_keys ? slot.maker->tally() : hasher.tally();
  Status made = make_keys(slot, hasher);
  batch.tally = recipe_.keep_keys ? slot.maker->tally() : hasher.tally();
  batch.tally -= before;
  if (recipe_.time) {
    if (const Status read = read_times(batch); !read) {  // this line is before the bad key, if any
      made = read;
    }
  }
  if (!made) {  // the lines before the bad key are delivered first
    bad_key_ = made.error().in_file(input_.current_name());
    batch.lines.keep_first(batch.hashes.size());
    return batch.hashes.empty() ? Result<bool>(*bad_key_) : Result<bool>(true);
  }
  return true;
}

// Errors: kInvalidArgument for a malformed key or line. The batch then has the keys of the lines before it.
Status LinePipeline::make_keys(Slot& slot, KeyHasher& hasher) {
  KeyedBatch& batch = slot.batch;
  if (!recipe_.keep_keys) {
    return hasher.hash(batch.lines, input_.first_line(), batch.hashes);
  }
  if (batch.lines.header) {  // the file's later batches come to the other slots
    for (Slot& other : slots_) {
      if (const Status begun = other.maker->begin_file(*batch.lines.header); !begun) {
        batch.hashes.clear();
        return KeyMaker::of_line(begun.error(), 1);
      }
    }
  }
  const Status made = slot.maker->make(batch.lines, input_.first_line(), batch.keys);
  batch.hashes.resize(batch.keys.size());
  hash_batch(batch.keys, recipe_.hash, batch.hashes);
  return made;
}

// Reads the times of the lines that have keys. Errors: kInvalidArgument for a malformed time, with the line;
// the batch then has the keys of the lines before it.
Status LinePipeline::read_times(KeyedBatch& batch) {
  batch.times.clear();
  for (std::size_t i = 0; i < batch.hashes.size(); ++i) {
    const Result<std::int64_t> time = event_time(batch.lines.lines[i], *recipe_.time);
    if (!time) {
      batch.hashes.resize(i);
      return KeyMaker::of_line(time.error(), input_.first_line() + batch.lines.place(i));
    }
    batch.times.push_back(*time);
  }
  return {};
}

Result<LinePipeline::Next> LinePipeline::next(std::optional<Clock::time_point> deadline) {
  std::unique_lock lock(mutex_);
  if (has_batch_) {
    has_batch_ = false;
    ++taken_;
    changed_.notify_all();
  }
  const auto ready = [this] { return has_next(); };
  if (!deadline) {
    changed_.wait(lock, ready);
  } else if (!changed_.wait_until(lock, *deadline, ready)) {
    return Next::kNotYet;
  }
  if (filled_ > taken_) {
    has_batch_ = true;
    return Next::kBatch;
  }
  if (const Status outcome = std::exchange(outcome_, Status()); !outcome) {
    return outcome.error();
  }
  return Next::kEnd;
}

void LinePipeline::keep_first(std::size_t count) {
  KeyedBatch& batch = slots_[taken_ % kSlots].batch;
  batch.lines.keep_first(count);
  batch.hashes.resize(count);
  batch.keys.resize(std::min(batch.keys.size(), count));
  batch.times.resize(std::min(batch.times.size(), count));
}

bool LinePipeline::is_ready() {
  const std::lock_guard lock(mutex_);
  return has_next();
}

void LinePipeline::wait_until_ready() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return has_next(); });
}

std::uint64_t LinePipeline::most_bytes(std::uint64_t line_bytes) {
  return kSlots * (line_bytes + kReadAheadBytes + LineBatch::kMostLines * kBytesPerLine) + kReadAheadBytes;
}

}  // namespace bloomery
