#!/bin/sh
# Usage: smoke.sh <resource group> <app> [<option of npm run smoke>...]
# Runs the smoke test against a deployed app with a client key of its own, which is removed afterwards. Needs az (signed
# in), openssl and npm ci. The subscription is AZURE_SUBSCRIPTION_ID, else the one that az has selected.
set -eu
here=$(dirname "$0")
. "$here/az.sh"
group=$1 app=$2
shift 2

host=$(azure functionapp show --resource-group "$group" --name "$app" \
  --query 'defaultHostName || properties.defaultHostName' --output tsv) ||
  fail "az could not show app $app"
host=$(printf '%s' "$host" | tr -d '\r')
[ -n "$host" ] || fail "app $app has no host name"

remove_key() {
  sh "$here/keys.sh" "$group" "$app" remove client smoke ||
    echo "the key of the smoke test is left; remove it: sh infra/keys.sh $group $app remove client smoke" >&2
}
trap remove_key EXIT
trap 'exit 130' INT TERM
SLUICE_KEY=$(sh "$here/keys.sh" "$group" "$app" set client smoke)
export SLUICE_KEY
if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::add-mask::$SLUICE_KEY"; fi
# A new key reaches the running hosts within some seconds, and new roles the storage accounts within minutes.
npm run --silent smoke -- --url "https://$host" --start-timeout 600 "$@"
