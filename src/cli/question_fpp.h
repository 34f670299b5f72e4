// Formats the fpp of a filter, and warns about filters with more keys than that fpp holds for. For a block
// list, this is the joint fpp of a text, together with the fpp of one question
// (bloomery/filter/block_list.h).
//
//   another filter    0.00099 (asked 0.001)
//   a block list      0.00099 for an address (2 questions, 0.0005 each; asked 0.001)
//   without its key   0.0005 for one question (asked 0.0005): the secret is missing
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/codec/dialect_filter.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/key_form.h"

namespace bloomery::cli {

// Returns "an address", "a host name" or "a URL". Precondition: is_block_list(form).
const char* asked_text(KeyForm form);

// Returns the maximum number of questions of a text; 1 unless the filter is a block list. Returns nothing if
// it is unknown, because the filter was opened without its secret.
std::optional<std::size_t> questions_of(const AnyFilter& filter);

std::string show_fpp(const AnyFilter& filter);
// Returns the fpp that a filter was made for, without "asked".
std::string show_target_fpp(const AnyFilter& filter);
// Returns show_fpp() of a filter that is not open.
std::string show_fpp(KeyForm form, double fpp, double target_fpp, std::size_t questions);

// Warns if a filter has more keys than its capacity.
void warn_over_capacity(std::string_view verb, const AnyFilter& filter);
// Warns about a filter of another system, if its file records the number of keys and the capacity.
void warn_over_capacity(std::string_view verb, const DialectFacts& facts);

// Returns advice if one generation of a window received more keys than its share. This happens if keys are
// read all at once or from a backlog: without -n, `build --window 1h` sizes a generation for a quarter of
// them.
std::string remedy_for_overfull(const WindowedFilter& filter);

}  // namespace bloomery::cli
