#!/bin/sh
# Usage: sweep.sh <resource group> [<app>]
# Runs the sweep of one app, or of every app in the group, with the key of that function. Waits for an app that was just
# published. Needs az (signed in) and curl. The subscription is AZURE_SUBSCRIPTION_ID, otherwise the one selected in az.
set -eu
. "$(dirname "$0")/az.sh"
group=$1
apps=${2:-$(apps_of "$group")}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# Azure knows the functions of a published package only after the host has started once.
has_key() {
  key=$(azure functionapp function keys list --resource-group "$group" --name "$app" --function-name run-sweep \
    --query default --output tsv 2>"$log" | tr -d '\r')
  [ -n "$key" ] || {
    cat "$log" >&2
    return 1
  }
}

while IFS= read -r app <&3; do
  host=$(azure functionapp show --resource-group "$group" --name "$app" \
    --query 'defaultHostName || properties.defaultHostName' --output tsv) ||
    fail "az could not show app $app"
  host=$(printf '%s' "$host" | tr -d '\r')
  [ -n "$host" ] || fail "app $app has no host name"
  wait_for "the functions of $app" \
    'Check that the app starts: "A drain does not start" in docs/operations.md.' has_key
  # The key is masked in the log of a pipeline, and passed on standard input, so that the process list does not show it.
  if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::add-mask::$key"; fi
  printf 'header = "x-functions-key: %s"\n' "$key" |
    curl --config - --fail --silent --show-error --retry 30 --retry-all-errors --retry-delay 10 --retry-max-time 300 \
      --request POST "https://$host/api/sweep"
  echo
done 3<<END
$apps
END
