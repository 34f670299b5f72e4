#include "bloomery/filter/block_list.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "filter/native/native_header.h"

namespace bloomery {

double joint_fpp(double fpp_of_one, double questions) {
  return fpp_of_one >= 1 ? (questions > 0 ? 1.0 : 0.0) : -std::expm1(questions * std::log1p(-fpp_of_one));
}

double fpp_of_one_question(double joint_fpp, double questions) {
  return joint_fpp >= 1 ? 1.0 : -std::expm1(std::log1p(-joint_fpp) / questions);
}

bool knows_its_secret(const NativeFilter& filter) {
  return filter.hash_spec().id != HashId::kReadyDigest &&
         key_id_of(filter.hash_spec()) == filter.hash_key_id();
}

KeyLevels levels_of(const AnyFilter& filter) {
  const KeyForm form = filter.key_treatment().form;
  const KeyLevels all = KeyLevels::all_of(form);
  if (filter.type() == FilterType::kWindowed) {
    return all;
  }
  KeyLevels levels;
  all.for_each([&](std::size_t level) {
    if (filter.may_contain(level_hash(form, level, filter.hash_spec()))) {
      levels.add(level);
    }
  });
  return levels;
}

Result<BlockList> BlockList::open(const std::string& path, OpenOptions options) {
  options.recorded_keys = RecordedKeys::kKnown;
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter filter, AnyFilter::open(path, options));
  Result<BlockList> list = of(std::move(filter));
  return list ? std::move(list) : Result<BlockList>(list.error().in_file(path));
}

Result<BlockList> BlockList::of(AnyFilter filter) {
  const KeyTreatment& treatment = filter.key_treatment();
  if (treatment.form != KeyForm::kCidr && treatment.form != KeyForm::kDomainSuffix) {
    return Error::invalid_argument("keys",
                                   "expected the form cidr or domain-suffix, found " + describe(treatment));
  }
  if (!knows_its_secret(filter.native())) {
    return Error::invalid_argument("key", "expected a filter that can hash its keys, found it without");
  }
  const KeyLevels levels = levels_of(filter);
  return BlockList(std::move(filter), levels);
}

Result<bool> BlockList::may_contain(std::string_view text) const {
  KeyWriter writer;
  std::vector<std::size_t> ends;
  BLOOMERY_RETURN_IF_ERROR(append_questions(writer, ends, text, filter_.key_treatment(), levels_));
  std::vector<Hash128> hashes;
  hashes.reserve(ends.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    hashes.push_back(hash_bytes(writer.bytes().subspan(begin, end - begin), filter_.hash_spec()));
    begin = end;
  }
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  filter_.may_contain_batch(hashes, answers);
  return std::ranges::any_of(answers, [](std::uint64_t word) { return word != 0; });
}

Result<bool> BlockList::insert(std::string_view entry) {
  KeyWriter writer;
  BLOOMERY_RETURN_IF_ERROR(append_formed(writer, entry, filter_.key_treatment()));
  const std::optional<std::size_t> level = KeyLevels::of_key(form(), writer.bytes());
  // Inserts the level even if the filter matches it already: the match may be a false positive, which
  // disappears when other keys are removed.
  if (level && !inserted_levels_.has(*level)) {
    if (!filter_.insert(level_hash(form(), *level, filter_.hash_spec()))) {
      return false;
    }
    inserted_levels_.add(*level);
    levels_.add(*level);
  }
  return filter_.insert(hash_bytes(writer.bytes(), filter_.hash_spec()));
}

double BlockList::current_fpp() const {
  return joint_fpp(filter_.current_fpp(), static_cast<double>(most_questions()));
}

}  // namespace bloomery
