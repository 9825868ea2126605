# shellcheck shell=sh
# Functions that the other scripts share. They load this file with `.` after `set -eu`.

# Runs az in the subscription of AZURE_SUBSCRIPTION_ID; if it is not set, in the one selected in az.
azure() {
  az "$@" ${AZURE_SUBSCRIPTION_ID:+--subscription "$AZURE_SUBSCRIPTION_ID"}
}

# fail <message>: prints the message and ends the script.
fail() {
  echo "$1" >&2
  exit 1
}

# wait_for <what> <advice> <command> [<argument>...]: runs the command every 10 seconds until it succeeds, for at most 10
# minutes: a new role assignment may take this long to become effective (Source: Microsoft Learn,
# role-based-access-control/troubleshooting). The command itself ends the script if waiting cannot help.
wait_for() {
  what=$1 advice=$2
  shift 2
  started=$(date +%s)
  until "$@"; do
    waited=$(($(date +%s) - started))
    if [ "$waited" -ge 600 ]; then fail "stopped waiting for $what after $waited s. $advice"; fi
    echo "waiting for $what: $waited s so far, at most 600 s" >&2
    sleep 10
  done
}

# apps_of <resource group>: prints the names of the apps, one per line. Fails if there are none.
apps_of() {
  names=$(azure functionapp list --resource-group "$1" --query '[].name' --output tsv) ||
    fail "az could not list the apps of resource group $1"
  [ -n "$names" ] || fail "resource group $1 has no function app; provision first"
  printf '%s\n' "$names" | tr -d '\r'
}
