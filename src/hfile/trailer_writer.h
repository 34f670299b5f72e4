// Writes the trailer of a file of version 3.3; trailer.h has the layout.
#pragma once

#include "hfile/byte_writer.h"
#include "hfile/trailer.h"

namespace bloomery::hfile {

// Appends kMaxTrailerBytes bytes. The offset and the versions in `trailer` are ignored.
void append_trailer(ByteWriter& out, const Trailer& trailer);

}  // namespace bloomery::hfile
