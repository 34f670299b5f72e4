// Makes the questions of a text: the keys that a block list may have for it. The text is in the list if one
// of them is.
//
//   form            text             questions, for the levels of the list (key_levels.h)
//   cidr            10.1.2.3         10.1.2.3/32, 10.1.2.0/24, 10.0.0.0/8: all networks that contain it
//                   10.1.0.0/16      10.1.0.0/16, 10.0.0.0/8: the network, and those that contain it
//   domain-suffix   a.b.example.com  a.b.example.com, b.example.com, example.com, com
//                   10.1.2.3         none: an address has no parent domain, and no entry is one
//   url-prefix      made by the command (keys/url/url_expressions.h)
//
// For an IPv4-mapped address of IPv6, the questions are those of the IPv4 address. Questions at the levels
// of IPv6 below 96 are added, so that ::/0 contains it.
//
// Invariant: with the levels of all keys of a list, a text that an entry covers has that entry's key among
// its questions. More levels add questions and cannot change an answer except by false positives.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_levels.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

// Appends the keys of all questions, one after the other, and their ends in `writer` to `ends`. `host_bits`
// concerns cidr. Errors: kInvalidArgument for a text that is not of the form, or for a form that is not one
// of block lists; kUnsupported for a domain name that is not ASCII.
Status append_questions(KeyWriter& writer, std::vector<std::size_t>& ends, std::string_view text,
                        const KeyTreatment& treatment, const KeyLevels& levels,
                        HostBits host_bits = HostBits::kRefuse);

}  // namespace bloomery
