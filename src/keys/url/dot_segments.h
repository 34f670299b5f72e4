// "." and ".." in a path, resolved: /a/./b/../c is /a/c.
//
// Source: RFC 3986, section 5.2.4, whose steps it follows to the letter, in one pass over the text.
#pragma once

#include <cstddef>
#include <string>

namespace bloomery {

// Resolves the path that is the end of `text`, from `begin` on.
void remove_dot_segments(std::string& text, std::size_t begin = 0);

}  // namespace bloomery
