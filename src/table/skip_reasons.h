// The sentences that explain why a file need not be read, with its bounds.
#pragma once

#include <string>

#include "hfile/open_file.h"
#include "hfile/time_span.h"

namespace bloomery::table {

// Returns "FIRST to LAST"; nothing for a file whose rows are not known.
std::string rows_of(const hfile::OpenFile& file);

std::string skipped_by_times(const hfile::TimeSpan& times);
std::string skipped_by_rows(const hfile::OpenFile& file);
std::string skipped_by_newer_cells(const hfile::TimeSpan& times);
std::string skipped_by_filter(const hfile::OpenFile& file);

}  // namespace bloomery::table
