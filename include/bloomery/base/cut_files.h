// What happens to a process that has a file mapped which another process cuts.
//
// Filters are opened as mappings. Where a file is shorter than it was when it was mapped, a read beyond its
// end raises SIGBUS, which ends the process. Files that this library writes are replaced or updated in place,
// never cut; others may do it (`> file`, cp over it, rsync --inplace). Not here: a file that is overwritten
// with other bytes, which nobody can tell.
#pragma once

namespace bloomery {

// From now on such a read finds zeros, and the filter whose file was cut says so: NativeFilter::file_status()
// and DialectFilter::file_status(), to be asked after the answers that one relies on, and save() and
// finish_update() refuse. It installs a handler of SIGBUS that hands over what is not about such a file to
// the one before it, and keeps a descriptor open for each mapping. For files that are opened later; once for
// the whole process, any number of times, from any thread.
void survive_cut_files();

}  // namespace bloomery
