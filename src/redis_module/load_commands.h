// Commands that bring a filter file into a key and out of it.
//
//   BLOOM.LOAD part BEGIN header crc [SECRET hex]   begins or resumes the load of a file: its first 192
//                                                   bytes, and the CRC-32C of all its bytes; replies how
//                                                   many bytes are loaded
//   BLOOM.LOAD part CHUNK offset crc data           the next bytes, at most 1 MiB; replies the same
//   BLOOM.LOADEND key part                          verifies the file and replaces `key` atomically
//   BLOOM.DUMP key offset [header-crc]              replies the next offset, or 0 at the end, and up to
//                                                   256 KiB of the file; fails if the CRC of the header
//                                                   (its bytes 188 to 191) has changed
//
// `part` is a key of the client's choice in the slot of `key`. Meanwhile `key` keeps its value and answers. A
// part that receives no chunk for an hour expires. After a lost connection, BEGIN resumes the load.
//
// No command's time grows with the file: the checksums are continued chunk by chunk (file_value.h), and the
// old value is freed in the background. An added item changes the header, so a dump of a key that changes
// meanwhile fails.
//
// Each command is replicated verbatim.
#pragma once

#include <span>

#include "redis_module/command_list.h"

namespace bloomery::redis_module {

std::span<const CommandRow> load_commands();

}  // namespace bloomery::redis_module
