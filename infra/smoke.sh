#!/bin/sh
# Usage: smoke.sh <resource group> <app> [<option of the smoke test>...]
# Runs the smoke test against a deployed app with its own client key, which is removed afterwards. Needs az (signed in), openssl
# and Node.js. The subscription is AZURE_SUBSCRIPTION_ID, otherwise the one selected in az.
set -eu
here=$(dirname "$0")
. "$here/az.sh"
. "$here/api.sh"
group=$1 app=$2
shift 2

host=$(host_of "$app")

remove_key() {
  sh "$here/keys.sh" "$group" "$app" remove client smoke --no-restart ||
    echo "could not remove the key of the smoke test; remove it with: npx sluice azure keys $group $app remove client smoke" >&2
}
# Without restarts, which would interrupt running work: nobody else has seen the value.
trap remove_key EXIT
trap 'exit 130' INT TERM
SLUICE_KEY=$(sh "$here/keys.sh" "$group" "$app" set client smoke --no-restart)
export SLUICE_KEY
if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::add-mask::$SLUICE_KEY"; fi
# A new key is effective on running hosts after at most a minute, and new roles on the storage accounts after minutes.
set -- --url "https://$host" --start-timeout 600 "$@"
# A checkout runs the sources, which need no build; the package has only the build.
if [ -f "$here/smoke.ts" ]; then
  node --conditions=source "$here/smoke.ts" "$@"
else
  node "$here/../dist/infra/smoke.js" "$@"
fi
