// Keeps a process alive when another process truncates a file that it has mapped.
//
// Filters are opened as mappings. If a file becomes shorter than it was when it was mapped, a read beyond its
// end raises SIGBUS, which ends the process. This library replaces files or updates them in place and never
// cuts them. Other programs may do it (`> file`, cp over it, rsync --inplace).
//
// Limits: a file that is overwritten with other bytes is not noticed.
#pragma once

namespace bloomery {

// After this call, reads beyond the end of a truncated file return zeros, and the file_status() of
// NativeFilter and DialectFilter reports the damage. Call file_status() after the queries whose answers you
// rely on. The calls save() and finish_update() refuse such a filter.
//
// The call installs a SIGBUS handler, which passes unrelated signals to the previous handler. It keeps one
// descriptor open for each mapping. It applies to files that are opened later. One call serves the entire
// process; it may be repeated, from any thread.
void survive_cut_files();

}  // namespace bloomery
