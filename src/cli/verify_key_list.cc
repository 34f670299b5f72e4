#include "cli/verify_key_list.h"

#include <memory>
#include <optional>

#include <fmt/format.h>

#include "bloomery/filter/leased_filter.h"
#include "cli/exit_status.h"
#include "cli/key_input.h"
#include "cli/open_key_filter.h"
#include "query/any_of.h"

namespace bloomery::cli {
namespace {

void see_answers(const LineBatch& batch, std::span<const std::uint64_t> answers, const InputFiles& input,
                 Proof& proof) {
  for (std::size_t i = 0; i < batch.lines.size(); ++i) {
    if ((answers[i / 64] >> (i % 64) & 1) == 0) {
      proof.deny(batch.lines[i]);
      if (proof.denied <= Proof::kMostDeniedKeys) {
        proof.notes.push_back(fmt::format("it denies line {} of {}", input.first_line() + batch.place(i),
                                          input.current_name()));
      }
    }
  }
  proof.keys += batch.lines.size();
}

Status ask_lines(const KeyListOptions& options, AnyOf& filters, Proof& proof) {
  InputFiles input(options.lists, options.keys.input_shape());
  std::vector<std::uint64_t> answers;
  return for_each_line_batch("verify", input, [&](LineBatch& batch) -> Result<bool> {
    BLOOMERY_RETURN_IF_ERROR(
        in_file(filters.keys().ask_up_to_bad_line(
                    batch, [&] { return filters.answer(batch, input.first_line(), answers); }),
                input.current_name()));
    BLOOMERY_RETURN_IF_ERROR(filters.file_status());
    see_answers(batch, answers, input, proof);
    return true;
  });
}

}  // namespace

Status ask_key_list(const KeyListOptions& options, Proof& proof) {
  AnyOf filters(options.keys.place());
  Result<std::unique_ptr<KeyFilter>> filter =
      open_key_filter("verify", proof.path, options.dialect, options.keys,
                      {.recorded_keys = RecordedKeys::kKnown}, filters.keys());
  if (!filter) {
    return filter.error();
  }
  filters.add(proof.path, std::move(filter).value());
  proof.unproven.clear();
  proof.against = fmt::format("{}", fmt::join(options.lists, ", "));
  BLOOMERY_RETURN_IF_ERROR(ask_lines(options, filters, proof));
  BLOOMERY_RETURN_IF_ERROR(filters.status());
  if (filters.forced_maybes() != 0) {
    proof.add_unproven(
        fmt::format("{} keys were answered by data without a filter", filters.forced_maybes()));
  }
  if (LeasedFilter::is_one(proof.path)) {
    const Result<LeasedFilter> leased =
        LeasedFilter::open(proof.path, {.recorded_keys = RecordedKeys::kKnown});
    if (!leased || !leased->state().holds) {
      proof.add_unproven("its lease is over, so every answer was maybe");
    }
  }
  if (proof.keys == 0) {
    proof.add_unproven("the list has no keys");
  }
  return {};
}

}  // namespace bloomery::cli
