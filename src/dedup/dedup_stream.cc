#include "dedup/dedup_stream.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/bit_count.h"
#include "base/bit_runs.h"
#include "bloomery/filter/native_filter.h"

namespace bloomery {

Status DedupStream::run(LinePipeline& pipeline) {
  for (;;) {
    if (!pipeline.is_ready()) {
      BLOOMERY_RETURN_IF_ERROR(put_out(sink_.flush()));
    }
    const bool may_be_due = options_.checkpoint != nullptr && changed_;
    const Result<LinePipeline::Next> next =
        pipeline.next(may_be_due ? std::optional(options_.checkpoint->due()) : std::nullopt);
    if (!next || *next == LinePipeline::Next::kEnd) {
      BLOOMERY_RETURN_IF_ERROR(put_out(sink_.flush()));
      return next ? Status() : next.error();
    }
    if (*next == LinePipeline::Next::kBatch) {
      keep_fitting(pipeline);
      BLOOMERY_RETURN_IF_ERROR(take(pipeline.batch()));
      if (is_full_) {
        return put_out(sink_.flush());
      }
    }
    if (options_.checkpoint != nullptr && changed_ &&
        LinePipeline::Clock::now() >= options_.checkpoint->due()) {
      BLOOMERY_RETURN_IF_ERROR(reach_checkpoint());
    }
  }
}

void DedupStream::keep_fitting(LinePipeline& pipeline) {
  const std::size_t size = pipeline.batch().hashes.size();
  const std::size_t fitting = options_.fitting ? options_.fitting(pipeline.batch()) : size;
  is_full_ = fitting < size;
  if (is_full_) {
    pipeline.keep_first(fitting);
  }
}

Status DedupStream::take(const KeyedBatch& batch) {
  const std::size_t size = batch.lines.lines.size();
  answers_.resize(answer_words(size));
  BLOOMERY_RETURN_IF_ERROR(put_out(seen_.add(batch, answers_)));
  changed_ = true;
  counts_.lines += size;
  counts_.keys += batch.tally;
  counts_.kept += count_set_bits(answers_);
  if (options_.print != DedupOptions::Print::kNothing) {
    if (options_.print == DedupOptions::Print::kRepeats) {
      std::ranges::transform(answers_, answers_.begin(), std::bit_not<>());
    }
    BLOOMERY_RETURN_IF_ERROR(put_out(print(batch.lines, answers_)));
  }
  if (options_.after_batch) {
    options_.after_batch(counts_, batch);
  }
  return {};
}

Status DedupStream::print(const LineBatch& lines, std::span<const std::uint64_t> wanted) {
  if (lines.header) {
    BLOOMERY_RETURN_IF_ERROR(print_header(*lines.header));
  }
  const std::size_t size = lines.lines.size();
  for (std::size_t i = next_bit(wanted, true, 0, size); i < size;) {
    const std::size_t end = next_bit(wanted, false, i, size);
    BLOOMERY_RETURN_IF_ERROR(print_run(lines, i, end));
    i = next_bit(wanted, true, end, size);
  }
  return options_.line_buffered ? sink_.flush() : Status();
}

Status DedupStream::print_run(const LineBatch& lines, std::size_t begin, std::size_t end) {
  for (; key_text_ && begin < end; ++begin) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string_view key, key_text_->of(lines.lines[begin]));
    BLOOMERY_RETURN_IF_ERROR(sink_.write(key));
    BLOOMERY_RETURN_IF_ERROR(sink_.write({&options_.delimiter, 1}));
  }
  if (key_text_) {
    return {};
  }
  while (begin < end) {
    const std::size_t unbroken = lines.unbroken_end(begin, end);
    BLOOMERY_RETURN_IF_ERROR(sink_.write(lines.piece(begin, unbroken)));
    begin = unbroken;
  }
  return lines.is_terminated(end) ? Status() : sink_.write({&options_.delimiter, 1});
}

Status DedupStream::print_header(std::string_view header) {
  if (key_text_) {
    return key_text_->begin_file(header);
  }
  if (std::exchange(has_header_, true)) {
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(sink_.write(header));
  return sink_.write({&options_.delimiter, 1});
}

Status DedupStream::reach_checkpoint() {
  BLOOMERY_RETURN_IF_ERROR(put_out(sink_.sync()));
  BLOOMERY_RETURN_IF_ERROR(put_out(options_.checkpoint->save(counts_)));
  changed_ = false;
  return {};
}

Status DedupStream::put_out(Status done) {
  output_failed_ = output_failed_ || !done;
  return done;
}

}  // namespace bloomery
