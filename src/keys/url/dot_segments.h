// Resolves "." and ".." in a path: /a/./b/../c becomes /a/c.
//
// Source: RFC 3986, section 5.2.4. The code follows its steps exactly, in one pass over the text.
#pragma once

#include <cstddef>
#include <string>

namespace bloomery {

// Resolves the path at the end of `text`, from `begin` on.
void remove_dot_segments(std::string& text, std::size_t begin = 0);

}  // namespace bloomery
