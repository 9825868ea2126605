#!/bin/sh
# Usage: publish-app.sh <resource group> <app> <package zip>
# Publishes the package to one app. Needs az (signed in).
# Flex Consumption stores the package with the identity of the app, and storage refuses it until the new role assignment
# has spread, though ARM lists it: 403 with InaccessibleStorageException (Azure/azure-dev#8026, which a second deployment
# a minute later got over). Only the deployment itself can show that the role works, so a refused one is repeated. The
# same holds for the deployment site of a new app, which may not answer at once.
set -eu
. "$(dirname "$0")/az.sh"
group=$1 app=$2 package=$3
[ -f "$package" ] || fail "there is no package $package; npm run package makes it"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# Succeeds when published, fails when it is worth another try, ends the script otherwise.
is_published() {
  if azure functionapp deployment source config-zip --resource-group "$group" --name "$app" --src "$package" \
    --output none 2>"$log"; then
    cat "$log" >&2
    return 0
  fi
  cat "$log" >&2
  grep -qE '(^|[^0-9])403([^0-9]|$)|Forbidden|Bad Gateway|Service Unavailable|Site Unavailable' "$log" ||
    fail "publishing to $app failed"
  return 1
}

echo "publishing to $app"
wait_for "the package storage to accept a deployment to $app" \
  "403 with 'using this permission' is a missing role: the identity of the app needs Storage Blob Data Owner on the host account. 403 without it is a network rule: the app cannot reach the host account, or this machine not the deployment site of the app." \
  is_published
