// The questions of a text: the keys that a block list may have for it. The text is in the list if one of them is.
//
//   form            text             questions, for the levels of the list (key_levels.h)
//   cidr            10.1.2.3         10.1.2.3/32, 10.1.2.0/24, 10.0.0.0/8: the networks that hold the address
//                   10.1.0.0/16      10.1.0.0/16, 10.0.0.0/8: the network itself, and those that hold it
//   domain-suffix   a.b.example.com  a.b.example.com, b.example.com, example.com, com
//                   10.1.2.3         none: an address has no parent domain, and no entry is one
//   url-prefix      made by the command (keys/url/url_expressions.h)
//
// An IPv4-mapped address of IPv6 is asked about as the address of IPv4. It is also asked about at the levels of
// IPv6 below 96, so that ::/0 holds it.
//
// Invariant: with the levels of all keys of a list, a text that an entry stands for has that entry's key among its
// questions. More levels add questions and change no answer but by false positives.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_levels.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

// Appends the keys of all questions, one behind the other, and their ends in `writer` to `ends`. `host_bits` concerns
// cidr. Errors: those of append_formed(); kInvalidArgument for a form that is not one of block lists.
Status append_questions(KeyWriter& writer, std::vector<std::size_t>& ends, std::string_view text,
                        const KeyTreatment& treatment, const KeyLevels& levels,
                        HostBits host_bits = HostBits::kRefuse);

}  // namespace bloomery
