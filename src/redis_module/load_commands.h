// Commands that bring a filter file into a key and out of it.
//
//   BLOOM.LOAD part BEGIN header crc [SECRET hex]     begins, or goes on with, the load of a file: its first 192 bytes, and the
//                                                     CRC-32C of all its bytes; replies how many bytes were taken
//   BLOOM.LOAD part CHUNK offset crc data             the next bytes, at most 1 MiB; replies the same
//   BLOOM.LOADEND key part                            verifies what was taken, and puts it in the place of `key`, whole
//   BLOOM.DUMP key offset [header-crc]                replies the next offset, or 0 at the end, and up to 256 KiB of it;
//                                                     fails if the header has another CRC (its bytes 188 to 191) by now
//
// `part` is a key of the client's choice in the slot of `key`. `key` goes on answering as before meanwhile. A part that gets no
// chunk for an hour goes away by itself. A load goes on after a lost connection by BEGIN again.
//
// No command takes a time that grows with the file: the checksums are continued chunk by chunk (file_value.h), and the old
// value is freed in the background. An item that is added changes the header, so a dump of a key that changes meanwhile fails.
//
// Each is replicated as it is.
#pragma once

#include <span>

#include "redis_module/command_list.h"

namespace bloomery::redis_module {

std::span<const CommandRow> load_commands();

}  // namespace bloomery::redis_module
