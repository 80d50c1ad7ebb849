# shellcheck shell=bash
# Bash completion of Superstep's programs, from what their --help says: it cannot grow old. Installed for each program; from
# the source tree: `source scripts/completion/superstep.bash`, with the programs on the PATH.

# The values that --help lists for an option, {a,b,c} behind its type, a line each.
_superstep_values() {
  awk -v option="$2" '
    { line = $0; sub(/^ +/, "", line); split(line, words, " "); names = "," words[1] "," }
    /^ +-/ && index(names, "," option ",") && match($0, /\{[^}]*\}/) {
      values = substr($0, RSTART + 1, RLENGTH - 2); gsub(/,/, "\n", values); print values; exit }' <<<"$1"
}

# All options, a line each.
_superstep_options() {
  awk '/^  -/ { split($1, names, ","); for (i in names) if (names[i] ~ /^--/) print names[i] }' <<<"$1"
}

# Names in a list of the help: the first words below "Algorithms:" or "Models (…):" or "Strategies:".
_superstep_list() {
  awk -v title="$2" 'inside && !/^  / { exit } inside && /^  [a-z]/ { print $1 } index($0, title) == 1 { inside = 1 }' <<<"$1"
}

_superstep() {
  local program=$1 current=$2 previous=$3 help candidates=
  help=$("$program" --help 2>/dev/null) || return 0
  COMPREPLY=()
  case "$current" in
    -*) candidates=$(_superstep_options "$help") ;;
    *)
      case "$previous" in
        --strategy) candidates=$(_superstep_list "$help" Strategies) ;;
        --then) # "ALGORITHM options": its first word, whether the quote was typed or not
          candidates=$(_superstep_list "$help" Algorithms)
          current=${current#[\"\']}
          ;;
        -*) candidates=$(_superstep_values "$help" "$previous") ;;
        "$program")
          candidates=$(_superstep_list "$help" Algorithms)
          [ -n "$candidates" ] || candidates=$(_superstep_list "$help" Models)
          ;;
      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$current") # nothing found: files, by -o default
}

complete -o default -F _superstep pregel pstrain ringbench graphgen supervise
