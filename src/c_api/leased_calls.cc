// Leased files: filters that a feeder in another process keeps current.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/filter/leased_filter.h"
#include "bloomery/hash/hash_secret.h"
#include "c_api/call.h"
#include "c_api/handle_pool.h"
#include "c_api/key_pieces.h"

namespace bloomery::c_api {
namespace {

using LeasedFilters = HandlePool<LeasedFilter, 0x8100f1ea5e>;

static_assert(static_cast<int>(LeaseAnswer::kNo) == BLOOMERY_ANSWER_NO &&
              static_cast<int>(LeaseAnswer::kMaybe) == BLOOMERY_ANSWER_MAYBE &&
              static_cast<int>(LeaseAnswer::kNoLease) == BLOOMERY_ANSWER_NO_LEASE);

int open_leased(const char* path, const bloomery_leased_options* options, bloomery_leased** leased) {
  bloomery_leased_options read = BLOOMERY_LEASED_OPTIONS_INIT;
  if (const Status status = read_struct(read, options, "bloomery_leased_options", IfNull::kDefault);
      !status) {
    return failed(status.error());
  }
  HashSecret secret;
  if (read.secret != nullptr) {
    std::copy_n(read.secret, secret.bytes.size(), secret.bytes.begin());
  }
  // The calls make keys from texts, by the rule that the file records.
  Result<LeasedFilter> opened = LeasedFilter::open(
      path, {.recorded_keys = RecordedKeys::kKnown, .secret = read.secret == nullptr ? nullptr : &secret});
  if (!opened) {
    return failed(opened.error());
  }
  void* handle = LeasedFilters::open(std::move(*opened));
  if (handle == nullptr) {
    return failed(BLOOMERY_CAPACITY, "memory", "expected room for a handle, found none");
  }
  *leased = static_cast<bloomery_leased*>(handle);
  return BLOOMERY_OK;
}

int answer_one(const LeasedFilter& filter, std::span<const std::string_view> parts) {
  const Result<LeaseAnswer> answer = filter.answer(parts);
  return answer ? static_cast<int>(*answer) : failed(answer.error());
}

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

int bloomery_leased_open(const char* path, const bloomery_leased_options* options, bloomery_leased** leased) {
  if (path == nullptr || leased == nullptr) {
    return failed_argument("bloomery_leased", "expected a path and a place for the handle, found null");
  }
  *leased = nullptr;
  return guarded([&] { return open_leased(path, options, leased); });
}

int bloomery_leased_answer(const bloomery_leased* leased, const char* text, size_t length) {
  const LeasedFilter* filter = LeasedFilters::find(leased);
  if (filter == nullptr) {
    return failed_handle("bloomery_leased");
  }
  if (!is_key(text, length)) {
    return failed_argument("text", "expected a text, found null");
  }
  return guarded([&] {
    const std::string_view part = view_of(text, length);
    return answer_one(*filter, std::span(&part, 1));
  });
}

int bloomery_leased_answer_parts(const bloomery_leased* leased, const char* const* texts,
                                 const size_t* lengths, size_t parts) {
  const LeasedFilter* filter = LeasedFilters::find(leased);
  if (filter == nullptr) {
    return failed_handle("bloomery_leased");
  }
  if (texts == nullptr || lengths == nullptr || parts > BLOOMERY_VARIABLE_PARTS) {
    return failed_argument("texts", "expected texts and their lengths, found null");
  }
  return guarded([&]() -> int {
    const auto views = views_of_texts(texts, lengths, parts);
    if (!views) {
      return failed(views.error());
    }
    return answer_one(*filter, *views);
  });
}

int bloomery_leased_answer_batch(const bloomery_leased* leased, const bloomery_keys* texts, uint8_t* answers,
                                 size_t room) {
  const LeasedFilter* filter = LeasedFilters::find(leased);
  if (filter == nullptr) {
    return failed_handle("bloomery_leased");
  }
  return guarded([&]() -> int {
    const Result<bloomery_keys> checked = checked_keys(texts);
    if (!checked) {
      return failed(checked.error());
    }
    if (checked->count > 0 && (answers == nullptr || room < checked->count)) {
      return failed_argument("answers", "expected room for " + std::to_string(checked->count) +
                                            " answers, found " +
                                            std::to_string(answers == nullptr ? 0 : room));
    }
    std::fill_n(answers, checked->count, std::uint8_t{BLOOMERY_ANSWER_MAYBE});  // no error leaves a no
    int result = BLOOMERY_OK;
    for_each_piece(*checked, [&](std::size_t first, std::span<const std::string_view> views) {
      for (std::size_t i = 0; i < views.size() && result == BLOOMERY_OK; ++i) {
        const int answer = answer_one(*filter, views.subspan(i, 1));
        if (answer < 0) {
          result = answer;
        } else {
          answers[first + i] = static_cast<std::uint8_t>(answer);
        }
      }
    });
    return result;
  });
}

int bloomery_leased_state(const bloomery_leased* leased, bloomery_lease_state* state) {
  const LeasedFilter* filter = LeasedFilters::find(leased);
  if (filter == nullptr) {
    return failed_handle("bloomery_leased");
  }
  return guarded([&] {
    const LeaseState now = filter->state();
    bloomery_lease_state facts = {};
    facts.remaining_ns = now.holds ? now.remaining_ns : 0;
    facts.complete_at_ns = now.complete_at_ns;
    facts.generation = now.generation;
    facts.position = now.position;
    facts.holds = now.holds ? 1 : 0;
    return result_of(write_struct(state, facts, "bloomery_lease_state"));
  });
}

int bloomery_leased_close(bloomery_leased* leased) {
  return leased == nullptr || LeasedFilters::close(leased) ? static_cast<int>(BLOOMERY_OK)
                                                           : failed_handle("bloomery_leased");
}

}  // extern "C"
