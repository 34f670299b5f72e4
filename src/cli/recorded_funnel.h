// The few files of other systems that say what their keys were: a Guava filter of Java's serialisation names its funnel.
#pragma once

#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"

namespace bloomery::cli {

// Checks that keys of this form are those of the funnel that `dialect` names, if it names one. `dialect` is what
// DialectFilter::dialect() returns, or what the user gives for a new filter. Any key may be given as the bytes that are
// hashed (hex). Errors: kInvalidArgument, which names the key form to take.
Status check_recorded_funnel(std::string_view dialect, KeyForm form);

}  // namespace bloomery::cli
