// A filter as a block list: it is queried for an address with all networks that contain it, or for a host
// name with all its parent domains.
//
// Example, with a filter that `bloomery build --cidr` made:
//    auto list = BlockList::open("networks.bloom");
//    const Result<bool> blocked = list->may_contain("10.1.2.3");   // true if 10.0.0.0/8 is in the list
//
// A query for a text asks several questions at once (questions.h). Its fpp is the joint one:
//
//   f   the fpp of one question, which the filter was made for and its file records (target_fpp())
//   q   the questions of a text, at most most_questions()
//   p   1 - (1 - f)^q, the probability that an absent text is answered maybe
//
// The filter is queried once for its level keys, which decide the levels of the questions (key_levels.h). A
// windowed filter may forget level keys, so its questions use all levels. If another process adds entries
// to a mapped file, call read_levels() after it has finished.
//
// Limits: the form url-prefix is not supported, because its questions need canonical URLs (the command asks
// them). Neither are international domain names that are not spelled in A-labels.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/hash/key_levels.h"
#include "bloomery/hash/questions.h"

namespace bloomery {

// Convert the fpp f of one question to the joint fpp p of a text, and back. `questions` need not be an
// integer: it may be a mean.
double joint_fpp(double fpp_of_one, double questions);
double fpp_of_one_question(double joint_fpp, double questions);

// Queries the filter for all level keys of its form. Precondition: its keys can be hashed
// (knows_its_secret()).
KeyLevels levels_of(const AnyFilter& filter);
// Returns true if text can be hashed. It is false if a keyed filter was opened without its secret, or if
// the keys are ready digests.
bool knows_its_secret(const NativeFilter& filter);

// Threads: may_contain() calls may run concurrently. Any other call must run alone.
class BlockList {
 public:
  // Errors: the errors of AnyFilter::open(), and kInvalidArgument of of(). `options.recorded_keys` is
  // ignored.
  static Result<BlockList> open(const std::string& path, OpenOptions options = {});
  // Errors: kInvalidArgument unless the filter's keys have the form cidr or domain-suffix and can be
  // hashed.
  static Result<BlockList> of(AnyFilter filter);

  // Returns true if an entry of the list may cover the text: an address or a network, or a host name.
  // Errors: kInvalidArgument if the text is neither; kUnsupported for a name that is not ASCII.
  Result<bool> may_contain(std::string_view text) const;

  // Inserts an entry, its level key first. Returns false if the filter refuses it. Unlike the command, it
  // accepts a public suffix such as co.uk. Errors: kInvalidArgument if the entry is not of the form;
  // kUnsupported for a name that is not ASCII. Precondition: the filter is writable.
  Result<bool> insert(std::string_view entry);

  void read_levels() { levels_ = levels_of(filter_); }
  const KeyLevels& levels() const { return levels_; }
  std::size_t most_questions() const { return bloomery::most_questions(form(), levels_); }
  // Returns the joint fpp of a text that asks the maximal number of questions.
  double current_fpp() const;

  KeyForm form() const { return filter_.key_treatment().form; }
  // Returns the filter, to save, merge or measure it. After a merge, call read_levels().
  const AnyFilter& filter() const { return filter_; }
  AnyFilter& filter() { return filter_; }

 private:
  BlockList(AnyFilter filter, const KeyLevels& levels) : filter_(std::move(filter)), levels_(levels) {}

  AnyFilter filter_;
  KeyLevels levels_;
  KeyLevels inserted_levels_;  // levels of entries passed to insert()
};

}  // namespace bloomery
