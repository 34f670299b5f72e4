// The hot paths of filters in the bytes of other systems. Their keys are texts of 20 bytes.
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "bench/instructions/path.h"
#include "bench/instructions/workload.h"
#include "bloomery/dialects/dialects.h"

namespace bloomery::instructions {
namespace {

std::unique_ptr<DialectFilter> dialect_of_members(std::string_view dialect, const DialectPlan& plan) {
  const auto texts = texts_of(member_integers());
  const auto builder = take(build_dialect(dialect, plan));
  take(builder->add(views_of(texts)));
  return take(builder->finish());
}

Counted guava_query() {
  const auto filter = dialect_of_members("guava", {.capacity = kMembers, .fpp = kFpp, .bits_per_key = {}});
  return query(*filter, texts_of(asked_integers()));
}

Counted query_dialect_in_batches(const DialectFilter& filter) {
  const auto texts = texts_of(asked_integers());
  const auto views = views_of(texts);
  std::array<std::uint64_t, answer_words(kBatch)> answers;
  return counted(views.size(), [&] {
    std::uint64_t all = 0;
    for (std::size_t at = 0; at < views.size(); at += kBatch) {
      filter.may_contain_batch(std::span(views).subspan(at, kBatch), answers);
      all += answers[0];
    }
    return all;
  });
}

Counted guava_query_batch() {
  return query_dialect_in_batches(
      *dialect_of_members("guava", {.capacity = kMembers, .fpp = kFpp, .bits_per_key = {}}));
}

Counted parquet_query_batch() {
  return query_dialect_in_batches(
      *dialect_of_members("parquet", {.capacity = kMembers, .fpp = kFpp, .bits_per_key = {}}));
}

constexpr Path kPaths[] = {
    {"guava-query", kAny, guava_query},
    {"guava-query-batch", kAny, guava_query_batch},
    {"parquet-query-batch", kAny, parquet_query_batch},
};

}  // namespace

std::span<const Path> dialect_paths() {
  return kPaths;
}

}  // namespace bloomery::instructions
