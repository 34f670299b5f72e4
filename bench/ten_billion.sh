#!/usr/bin/env bash
# Builds one static filter of N distinct URLs at 1e-4 on one machine, asks it, and prints what it took. N is 10^10 unless
# given. The filter is a ribbon, or of the type in TYPE.
#
# The URLs come from tools/url_stream and are never stored. The filter is built in parts. Each part reads the whole stream
# and keeps the hashes of its own shards, so that the disk never holds the hashes of all keys. The generator has one
# processor, and the command has the other.
#
#   part.1 ... part.P    finished parts; each appears whole or not at all
#   all                  the filter, joined of them
#
# Then the filter is asked for N / 10 of its keys, spread evenly over all of them, and for as many others. Up to 10^7 keys,
# generator and samples are also compared with exact sets (sort, comm): all URLs differ, every sampled one is a member,
# and no other one is.
#
# Usage: bench/ten_billion.sh [N] [FOLDER]      FOLDER is for parts and filter: default build/ten-billion
#        PARTS=4 MEM=10G bench/ten_billion.sh   how many parts (2), and the memory of a build
#        TYPE=fuse bench/ten_billion.sh         ribbon (the usual), fuse or fuse:dense
#        KEEP=1 ...                             keeps the filter, for build/bench/bench/serving_bench
# A run that was killed goes on behind its last finished part when the same command is given again. A folder of another
# run is refused. Ten billion keys: 40 GB of disk, 13 GiB of memory, about an hour on two cores.
# Exit status: 0 done; 1 a key was missed, or a bound was not kept; 2 there is not enough disk or memory, or a step failed.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
export LC_ALL=C

keys=$(printf '%.0f' "${1:-10000000000}")
folder=$(readlink -m "${2:-build/ten-billion}")
fpp=1e-4
exact_below=10000000
big=1000000000
parts=${PARTS:-2}
memory=${MEM:-$([[ $keys -ge $big ]] && echo 10G || echo 512M)}
bin=build/release
type=${TYPE:-ribbon}

# The most bits a key that the filter may have, and its fpp.
case $type in
  ribbon) bits_bound=13.52 asked_fpp=$fpp ;;
  fuse) bits_bound=15.9 asked_fpp=6.1035e-5 ;; # 2^-14
  fuse:dense) bits_bound=15.1 asked_fpp=6.1035e-5 ;;
  *) echo "bench/ten_billion.sh: expected ribbon, fuse or fuse:dense in TYPE, found $type" >&2 && exit 2 ;;
esac

fail() {
  echo "bench/ten_billion.sh: $1" >&2
  exit "${2:-2}"
}

((keys >= 1000)) || fail "expected 1000 keys at least, found $keys"
asked=$((keys / 10))

# ---- Is there room? A filter has at most $bits_bound bits a key, its spool at most 5 bytes a hash. ----

check_room() {
  local filter=$((keys * 2)) spool=$((keys * 5 / parts)) needed have
  # The last part is built beside all others; then the filter is written beside all parts.
  needed=$((filter + (spool > filter ? spool : filter)))
  have=$(($(df --output=avail -B1 "$folder" | tail -n 1) + $(du -sb "$folder" | cut -f 1)))
  ((have >= needed)) || fail "expected $((needed / 1000000)) MB of disk in $folder, found $((have / 1000000)) MB"
  # A build keeps to what it is given; the generator and the pipe take little. The query maps the filter, whose pages can go.
  needed=$(($(numfmt --from=iec "$memory") * 5 / 4))
  have=$(($(awk '/^MemAvailable/ { print $2 }' /proc/meminfo) * 1024))
  ((have >= needed)) || fail "expected $((needed / 1000000)) MB of memory that is free, found $((have / 1000000)) MB"
}

mkdir -p "$folder"
exec 8>"$folder/lock"
flock -n 8 || fail "another run is at work in $folder"
run="type=$type keys=$keys parts=$parts fpp=$fpp"
if [[ -f $folder/run ]]; then
  [[ $(<"$folder/run") == "$run" ]] || fail "expected the folder of a run of $run, found one of $(<"$folder/run"): $folder"
elif [[ -n $(find "$folder" -mindepth 1 ! -name lock -print -quit) ]]; then
  fail "expected an empty folder or one of a run that was cut, found other files: $folder"
fi
check_room
echo "$run" >"$folder/run"
rm -rf "$folder/spool" # what a killed build left
mkdir "$folder/spool"

cmake --preset release >/dev/null
cmake --build --preset release --target bloomery_command url_stream >/dev/null

urls() {
  "$bin/tools/url_stream" "$keys" --distinct
}

# ---- Measuring. `timed NAME COMMAND` notes wall, user and system seconds and the peak KiB, and the largest use of disk. ----

timed() {
  local name=$1
  shift
  /usr/bin/time -q -o "$folder/time.$name" -f '%e %U %S %M' "$@"
}

spool_bytes() { # The spool's files have no names: they are counted where the process has them open.
  { find /proc/[0-9]*/fd -lname "$folder/spool/*" -printf '%p\n' 2>/dev/null || true; } | # processes end meanwhile
    { xargs -r stat -L -c %b 2>/dev/null || true; } | awk '{ blocks += $1 } END { printf "%.0f", blocks * 512 }'
}

watch_disk() { # until it is killed, or the run is
  local most=0 now
  while sleep 2 && kill -0 $$ 2>/dev/null; do
    now=$(($({ du -s -B1 "$folder" 2>/dev/null || true; } | cut -f 1) + $(spool_bytes)))
    ((now <= most)) || { most=$now && echo "$most" >"$folder/disk"; }
  done
}
watch_disk 8>&- & # without the lock, which would outlive a killed run
watcher=$!
trap 'kill "$watcher" 2>/dev/null || true; rm -rf "$folder/spool"' EXIT

minutes_left() { # DONE OF SECONDS
  awk -v done="$1" -v all="$2" -v took="$3" 'BEGIN { printf "%.0f", took / done * (all - done) / 60 }'
}

# ---- The parts, and the filter. ----

build_part() { # I
  urls | timed "part.$1" "$bin/bloomery" build -t "$type" -p $fpp -n "$keys" --shards "$1/$parts" --mem "$memory" \
    --tmp "$folder/spool" -o "$folder/part.$1" --force
}

if [[ ! -f $folder/all ]]; then
  built=0
  began=$SECONDS
  for ((i = 1; i <= parts; ++i)); do
    if [[ -f $folder/part.$i ]]; then
      echo "part $i of $parts is there already"
      continue
    fi
    build_part "$i" || fail "part $i could not be built"
    built=$((built + 1))
    echo "part $i of $parts: $(awk '{ print $1 " s" }' "$folder/time.part.$i"); $(minutes_left "$built" $((built + parts - i)) $((SECONDS - began))) minutes left for the parts"
  done
  timed merge "$bin/bloomery" merge -o "$folder/all" $(seq -f "$folder/part.%.0f" 1 "$parts") ||
    fail "the parts could not be joined"
  rm "$folder"/part.*
fi

# ---- The questions. ----

sample() { "$bin/tools/url_stream" "$keys" --repeats 0 --sample "$asked"; }
others() { "$bin/tools/url_stream" "$asked" --distinct --first "$keys"; }

if ((keys <= exact_below)); then
  urls | sort -S 25% >"$folder/spool/members"
  [[ $(uniq "$folder/spool/members" | wc -l) == "$keys" ]] || fail "the generator repeats itself" 1
  sample | sort >"$folder/spool/sample"
  [[ $(uniq "$folder/spool/sample" | wc -l) == "$asked" ]] || fail "the sample repeats itself" 1
  [[ $(comm -23 "$folder/spool/sample" "$folder/spool/members" | wc -l) == 0 ]] || fail "the sample has strangers" 1
  [[ $(others | sort -u | comm -12 - "$folder/spool/members" | wc -l) == 0 ]] || fail "members are among the others" 1
  [[ $(urls | "$bin/bloomery" query -v -c "$folder/all" || true) == 0 ]] || fail "a key is missed" 1
  echo "compared with exact sets: $keys URLs differ, $asked sampled ones are members, $asked others are not; no key is missed"
fi

missed=$(sample | timed present "$bin/bloomery" query -v -c --no-verify "$folder/all" || true)
found=$(others | timed absent "$bin/bloomery" query -c --no-verify "$folder/all" || true)

# ---- The log. ----

bytes=$(stat -c %s "$folder/all")
{
  awk '{ wall += $1; cpu += $2 + $3; if ($4 > peak) peak = $4 }
    END { printf "build: %.0f s on the clock, %.0f CPU seconds of the command, %.1f GiB resident at most\n", wall, cpu, peak / 1048576 }' \
    "$folder"/time.part.* "$folder/time.merge"
  awk -v keys="$keys" -v bytes="$bytes" 'BEGIN { printf "filter: %.0f keys, %.0f bytes, %.4f bits a key (bound %.4f)\n", keys, bytes, bytes * 8 / keys, log(10000) / log(2) }'
  echo "disk at the peak: $(awk '{ printf "%.2f GB", $1 / 1e9 }' "$folder/disk" 2>/dev/null || echo 'not seen')"
  awk -v keys="$asked" '{ printf "present: %.0f asked in %.0f s, %.0f ns a key with the generator beside it\n", keys, $1, $1 * 1e9 / keys }' "$folder/time.present"
  awk -v keys="$asked" '{ printf "absent: %.0f asked in %.0f s, %.0f ns a key with the generator beside it\n", keys, $1, $1 * 1e9 / keys }' "$folder/time.absent"
  echo "missed: $missed of $asked"
  # The normal approximation, 95 of 100: there are thousands of them where it matters.
  awk -v n="$asked" -v k="$found" 'BEGIN { p = k / n; e = 1.96 * sqrt(p * (1 - p) / n); printf "false positives: %.0f of %.0f: %.4g, from %.4g to %.4g\n", k, n, p, p - e, p + e }'
  echo "machine: $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) processors, $(awk '/^MemTotal/ { printf "%.1f GiB", $2 / 1048576 }' /proc/meminfo); $(c++ --version | head -n 1)"
} | tee "$folder/log"

((missed == 0)) || fail "a key was missed" 1
awk -v n="$asked" -v k="$found" -v fpp="$asked_fpp" 'BEGIN { exit !(k <= n * fpp + 5 * sqrt(n * fpp) + 1) }' || fail "too many false positives" 1
awk -v keys="$keys" -v bytes="$bytes" -v most="$bits_bound" 'BEGIN { exit !(keys < 1e6 || bytes * 8 <= keys * most) }' ||
  fail "the filter is larger than $bits_bound bits a key" 1
if [[ -z ${KEEP:-} ]]; then
  rm -rf "$folder"
else
  rm -f "$folder"/time.* "$folder/run"
fi
