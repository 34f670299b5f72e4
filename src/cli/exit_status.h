// What the shell hears: the same five numbers for every verb.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "bloomery/filter/any_filter.h"

namespace bloomery::cli {

enum ExitStatus : int {
  kDone = 0,     // done; for query: a line was printed
  kNothing = 1,  // query: no line was printed
  kTrouble = 2,  // wrong arguments, missing files, a full disk
  kDamaged = 3,  // a filter file that cannot be believed
  kRefused = 4,  // refused under --strict before anything was changed
  kInterrupted = 130,
};

// Prints "bloomery VERB: error" and returns the status that fits it.
int report(std::string_view verb, const Error& error);

// Warns when more keys are in a filter than it was made for.
void warn_over_capacity(std::string_view verb, const AnyFilter& filter);
// Of another system, where its file records both.
void warn_over_capacity(std::string_view verb, const DialectFacts& facts);

// Errors: kInvalidArgument for a part of a ribbon, which would answer maybe to what the other parts hold.
Status check_whole(const AnyFilter& filter, const std::string& name);

// Prints "bloomery VERB: text".
void warn(std::string_view verb, std::string_view text);

}  // namespace bloomery::cli
