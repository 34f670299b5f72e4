// The first eight bytes of the two files that the steps of a spread build exchange. They are in this folder
// because every reader of another kind of file names the kind in its error.
//
// On disk since version 1; never changed. Source: docs/formats/spread-build.md. Their readers:
// filter/spool/spread_envelope.h. Not here: the beginnings of other files (keys/file_beginnings.h).
#pragma once

#include <string_view>

namespace bloomery {

inline constexpr std::string_view kRangeFileMagic = "BloomRng";
inline constexpr std::string_view kPartMagic = "BloomPrt";

// Returns a hint for errors: the kind of the file that begins with `front`, and what to do with it. Returns
// an empty text for other files.
constexpr std::string_view spread_file_hint(std::string_view front) {
  if (front.starts_with(kRangeFileMagic)) {
    return "a range file of build --partition: build -t ribbon (or fuse) --shards I/N makes a part of the "
           "range files of all machines";
  }
  if (front.starts_with(kPartMagic)) {
    return "a part of a static filter, which is no filter by itself: bloomery merge joins all parts to one";
  }
  return {};
}

}  // namespace bloomery
