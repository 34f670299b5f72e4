// Distinguishes HFiles from other files, so that another file is not reported as a damaged HFile.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "hfile/open_file.h"

namespace bloomery::hfile {

using OpenFilePointer = std::shared_ptr<const OpenFile>;

// Returns true if the file begins with a block or ends with the trailer of an HFile. Errors: kNotFound, kIo.
Result<bool> looks_like_hfile(const std::string& path, FileSystem& files = FileSystem::real());
bool looks_like_hfile(std::span<const std::byte> file);

// Opens the file like OpenFile::open(). Errors: also kInvalidArgument for a file that is not an HFile.
Result<OpenFilePointer> open_hfile(const std::string& path, const Surroundings& surroundings = {},
                                   const FileMemory& memory = {});
Result<OpenFilePointer> open_hfile(const std::string& path, const HFileOptions& options,
                                   const Surroundings& surroundings = {});

}  // namespace bloomery::hfile
