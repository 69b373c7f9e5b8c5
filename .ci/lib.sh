# shellcheck shell=bash
# Sourced by the scripts beside it, which run with errexit.

# stage NAME COMMAND... runs the command and prints how long it took; a failure ends the script there.
stage() {
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  "$@"
  echo "== $name: $((SECONDS - start)) s"
}
