// Checks key forms against the type of the keys, which some files of other systems record: a Guava filter
// serialised by Java names its funnel.
#pragma once

#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"

namespace bloomery::cli {

// Checks that the key form agrees with the funnel that `dialect` names, if it names one. `dialect` is the
// value of DialectFilter::dialect(), or that of --dialect for a new filter. The form hex always agrees,
// because it is the bytes that are hashed. Errors: kInvalidArgument, which names the key form to use.
Status check_recorded_funnel(std::string_view dialect, KeyForm form);

}  // namespace bloomery::cli
