#!/bin/sh
# Usage: sweep.sh <resource group> <app>
# Calls the sweep of one app with the key of that function alone. Needs az (signed in) and curl.
set -eu
group=$1 app=$2

host=$(az functionapp show --resource-group "$group" --name "$app" --query properties.defaultHostName --output tsv)
key=$(az functionapp function keys list --resource-group "$group" --name "$app" --function-name run-sweep \
  --query default --output tsv)
# Masked in the log of a pipeline; on standard input, so that it is in no list of processes.
if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::add-mask::$key"; fi
printf 'header = "x-functions-key: %s"\n' "$key" |
  curl --config - --fail --silent --show-error --retry 5 --retry-all-errors --retry-delay 10 --request POST \
    "https://$host/api/sweep"
echo
