# shellcheck shell=sh
# What the scripts beside it share; they read it with `.` and set -eu before.

# az, in the subscription that AZURE_SUBSCRIPTION_ID names; where that is not set, in the one that az has selected.
azure() {
  az "$@" ${AZURE_SUBSCRIPTION_ID:+--subscription "$AZURE_SUBSCRIPTION_ID"}
}

# fail <message>: ends the script.
fail() {
  echo "$1" >&2
  exit 1
}

# wait_for <what> <advice> <command> [<argument>...]: runs the command every 10 seconds until it succeeds, for 10 minutes
# at most, which is how long a new role assignment may take to work (learn: role-based-access-control/troubleshooting).
# The command itself ends the script where waiting cannot help.
wait_for() {
  what=$1 advice=$2
  shift 2
  started=$(date +%s)
  until "$@"; do
    waited=$(($(date +%s) - started))
    if [ "$waited" -ge 600 ]; then fail "gave up after $waited s of waiting for $what. $advice"; fi
    echo "waiting for $what: $waited s so far, at most 600 s" >&2
    sleep 10
  done
}

# apps_of <resource group>: the names of the apps, one per line. Fails where there is none.
apps_of() {
  names=$(azure functionapp list --resource-group "$1" --query '[].name' --output tsv) ||
    fail "az could not list the apps of resource group $1"
  [ -n "$names" ] || fail "resource group $1 has no function app; provision first"
  printf '%s\n' "$names" | tr -d '\r'
}
