# What the scripts of all peers share; sourced by them, from the top folder of the project.
#
# A peer's script leaves 0 when both sides agree in everything, 1 when they do not, 77 when it cannot run here. Every
# line that it prints is a fact that was checked; the last one says why it was skipped, if it was.
#
#   BLOOMERY   the command, build/release/bloomery if not given      INTEROP   scratch and downloads, build/interop
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C

peer=$(basename "$(dirname "$0")")
bloomery=$(readlink -f "${BLOOMERY:-build/release/bloomery}")
interop=$(readlink -m "${INTEROP:-build/interop}")
work=$interop/$peer
keys=$interop/keys
most_false=50000 # of 1,000,000 absent keys; the filters here are made for 1 in 100 or better

skip() {
  echo "$1"
  exit 77
}

# needs_package PACKAGE...: skips where one of these Debian packages is not installed.
needs_package() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || skip "$package is not installed"
  done
}

# needs_command COMMAND PACKAGE: skips where the command is not found; the package has it.
needs_command() {
  command -v "$1" >/dev/null || skip "$2 is not installed"
}

disagree() {
  echo "$peer disagrees: $1"
  exit 1
}

say() { printf '  %s\n' "$1"; }

# form_of KIND: the key form of keys of that kind.
form_of() {
  case $1 in
    int) echo int32 ;;
    long) echo int64 ;;
    *) echo "$1" ;; # text, utf16, hex
  esac
}

# build_ours KIND OPTION...: has Bloomery build a filter of the present keys of a kind.
build_ours() {
  local kind=$1
  shift
  "$bloomery" build --no-summary --key-form "$(form_of "$kind")" "$@" "$keys/$kind.present"
}

# ours_of ASKED KIND FILTER [OPTION...]: asks Bloomery for the keys of a file; writes those that may be in to stdout.
ours_of() {
  local asked=$1 kind=$2 filter=$3
  shift 3
  "$bloomery" query --no-summary --key-form "$(form_of "$kind")" "$@" "$filter" "$asked" || [[ $? == 1 ]]
}

# ours KIND FILTER [OPTION...]: the same for all keys of a kind.
ours() {
  ours_of "$keys/$1.all" "$@"
}

# first_difference LEFT RIGHT: the first line that only one of two files has, behind `<` or `>`.
first_difference() {
  { diff "$1" "$2" || true; } | awk '/^[<>]/ && !found { print; found = 1 }'
}

# same_answers WHAT KIND OURS THEIRS: both lists must have all keys that are in, and the same absent ones.
same_answers() {
  local what=$1 kind=$2 ours=$3 theirs=$4 difference false
  if ! cmp -s "$ours" "$theirs"; then
    difference=$(first_difference "$ours" "$theirs")
    case $difference in
      '<'*) disagree "$what: Bloomery alone says maybe to the $kind key '${difference#< }'" ;;
      *) disagree "$what: Bloomery alone denies the $kind key '${difference#> }'" ;;
    esac
  fi
  head -n 100000 "$ours" >"$work/front"
  if ! cmp -s "$work/front" "$keys/$kind.present"; then
    difference=$(first_difference "$work/front" "$keys/$kind.present")
    disagree "$what: both sides deny the $kind key '${difference#[<>] }', which is in"
  fi
  false=$(($(wc -l <"$ours") - 100000))
  ((false < most_false)) || disagree "$what: $false of 1000000 absent keys match"
  say "$what: 100000 present keys match, and the same $false of 1000000 absent ones"
}

# no_denial WHAT KIND OURS THEIRS: we may say maybe more often than the peer, but never deny what it does not.
no_denial() {
  local what=$1 kind=$2 ours=$3 theirs=$4 denied false
  denied=$({ diff "$ours" "$theirs" || true; } | awk '/^>/ && !found { print; found = 1 }')
  [[ -z $denied ]] || disagree "$what: Bloomery alone denies the $kind key '${denied#> }'"
  head -n 100000 "$theirs" | cmp -s - "$keys/$kind.present" || disagree "$what: it denies a key that is in"
  false=$(($(wc -l <"$ours") - 100000))
  ((false < most_false)) || disagree "$what: $false of 1000000 absent keys match"
  say "$what: 100000 present keys match; of 1000000 absent ones $false, and $(($(wc -l <"$theirs") - 100000)) there, all of them here too"
}

# nothing_accused WHAT PATH...: `bloomery verify` finds no fault with what the live system wrote.
nothing_accused() {
  local what=$1 status=0
  shift
  "$bloomery" verify "$@" >"$work/verified" 2>&1 || status=$?
  ((status <= 1)) || disagree "$what: verify says $(grep -m 1 -E ': (damaged|denies)' "$work/verified" || tail -n 1 "$work/verified")"
  say "$what: verify accuses none; $(grep -c ': sound' "$work/verified" || true) sound, $(grep -c ': cannot be proven' "$work/verified" || true) cannot be proven"
}

# same_bytes WHAT OURS THEIRS
same_bytes() {
  cmp "$2" "$3" >&2 || disagree "$1: the bytes differ"
  say "$1: the same $(stat -c %s "$2") bytes"
}

[[ -x $bloomery ]] || { echo "no command at ${BLOOMERY:-build/release/bloomery}: build it or set BLOOMERY"; exit 1; }
rm -rf "$work"
mkdir -p "$work"
