// Some files of other systems record their keys' type: a Guava filter in Java's serialisation names its
// funnel.
#pragma once

#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"

namespace bloomery::cli {

// Checks that this key form agrees with the funnel that `dialect` names, if it names one. `dialect` is the
// value of DialectFilter::dialect(), or the user's name for a new filter. The form hex always agrees,
// because it gives the bytes that are hashed. Errors: kInvalidArgument, which names the key form to use.
Status check_recorded_funnel(std::string_view dialect, KeyForm form);

}  // namespace bloomery::cli
