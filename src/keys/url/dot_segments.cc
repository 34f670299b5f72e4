#include "keys/url/dot_segments.h"

#include <algorithm>
#include <string_view>

namespace bloomery {

// The output is never longer than the input consumed so far, so both share the text: read >= write.
void remove_dot_segments(std::string& text, std::size_t begin) {
  std::size_t read = begin;
  std::size_t write = begin;
  // The output loses its last segment and the "/" before it, if any.
  const auto drop_last_segment = [&] {
    const std::size_t slash = write == begin ? std::string::npos : text.rfind('/', write - 1);
    write = slash == std::string::npos || slash < begin ? begin : slash;
  };
  while (read < text.size()) {
    const std::string_view input = std::string_view(text).substr(read);
    if (input.starts_with("../")) {  // step A
      read += 3;
    } else if (input.starts_with("./") || input.starts_with("/./")) {  // steps A and B: the second "/" stays
      read += 2;
    } else if (input == "/.") {
      read += 1;
      text[read] = '/';
    } else if (input.starts_with("/../")) {  // step C: the second "/" stays
      read += 3;
      drop_last_segment();
    } else if (input == "/..") {
      read += 2;
      text[read] = '/';
      drop_last_segment();
    } else if (input == "." || input == "..") {  // step D
      read = text.size();
    } else {  // step E: the first segment, with the "/" before it
      const std::size_t end = std::min(text.find('/', read + 1), text.size());
      std::copy(text.begin() + static_cast<std::ptrdiff_t>(read),
                text.begin() + static_cast<std::ptrdiff_t>(end),
                text.begin() + static_cast<std::ptrdiff_t>(write));
      write += end - read;
      read = end;
    }
  }
  text.resize(write);
}

}  // namespace bloomery
