# The data of bench/table.sh as a table in Markdown: the medians of the turns of each side, and how often ours goes into the peer's.
# A line is side,what,files,value,more: see the programs. bench/median.awk is read before this.
BEGIN { FS = "," }

{
  key = $1 "," $2 "," $3
  values[key] = values[key] " " $4
  more[key] = more[key] " " $5
}

function number(side, what) { return median(values[side "," what]) }

# The value of a side in the form of `format`, divided by `unit`; empty if it was not measured.
function shown(side, what, format, unit) {
  return (side "," what) in values ? sprintf(format, number(side, what) / unit) : ""
}

# How much more time a peer takes; of speeds, how much faster ours is.
function ratio(side, what, is_speed) {
  if (!((side "," what) in values)) return ""
  return sprintf("%.1f", is_speed ? number("bloomery", what) / number(side, what) : number(side, what) / number("bloomery", what))
}

function row(name, what, format, unit, is_speed) {
  if (("bloomery," what) in values) {
    printf "| %s | %s | %s | %s | %s | %s |\n", name, shown("bloomery", what, format, unit), shown("rocksdb", what, format, unit),
      shown("hbase", what, format, unit), ratio("rocksdb", what, is_speed), ratio("hbase", what, is_speed)
  }
}

function gets(kind, memory, files, batch) {
  row(kind " row, " files (files == 1 ? " file" : " files") (memory == "cached" ? ", all in memory" : ", page cache") (batch == 1 ? "" : ", " batch " at a time"),
    kind "_" memory "_" batch "," files, "%.2f us", 1000, 0)
}

# A column of its own holds the memory of open files: it is made a measure like the others.
function add_memory(side,   what) {
  what = side ",open,1000"
  if (what in more) values[side ",memory,1000"] = more[what]
}

END {
  add_memory("bloomery")
  add_memory("hbase")
  print "| | ours | RocksDB | HBase | RocksDB / ours | HBase / ours |"
  print "|---|---:|---:|---:|---:|---:|"
  kinds = split("absent present", kind, " ")
  memories = split("cached page_cache", memory, " ")
  for (k = 1; k <= kinds; ++k) {
    for (m = 1; m <= memories; ++m) {
      for (files = 8; files >= 1; files -= 7) {
        gets(kind[k], memory[m], files, 1)
        gets(kind[k], memory[m], files, 32)
      }
    }
  }
  row("scan, 8 files", "scan,8", "%.0f MB/s", 1, 1)
  row("scan, 1 file", "scan,1", "%.0f MB/s", 1, 1)
  row("open 1,000 files", "open,1000", "%.2f s", 1, 0)
  row("memory of 1,000 open files", "memory,1000", "%.1f MB", 1e6, 0)
  for (k = 1; k <= kinds; ++k) {
    for (files = 8; files >= 1; files -= 7) {
      row("two threads, " kind[k] " row, " files (files == 1 ? " file" : " files"), "threads_" kind[k] "," files, "%.2f times one", 1, 0)
    }
  }
}
