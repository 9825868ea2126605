#!/bin/sh
# Usage: sweep.sh <resource group> [<app>]
# Runs the sweep of one app, or of every app in the group, with the key of that function. Waits for an app that was just
# published. Needs az (signed in) and curl. The subscription is AZURE_SUBSCRIPTION_ID, otherwise the one selected in az.
set -eu
. "$(dirname "$0")/az.sh"
. "$(dirname "$0")/api.sh"
group=$1
apps=${2:-$(apps_of "$group")}

while IFS= read -r app <&3; do
  host=$(host_of "$app")
  wait_for "the functions of $app" \
    'Check that the app starts: "A drain does not start" in docs/operations.md.' find_key "$app" run-sweep
  call "$key" POST "https://$host/api/sweep" --fail
  echo
done 3<<END
$apps
END
