#!/bin/sh
# Usage: publish-app.sh <resource group> <app> <package zip>
# Publishes the package to one app. Needs az (signed in).
# Flex Consumption stores the package with the identity of the app. Storage refuses it with 403 (InaccessibleStorageException)
# until a new role assignment is effective, although ARM already lists it (Azure/azure-dev#8026, where a second deployment a
# minute later succeeded). Only the deployment itself shows whether the role works, so a refused one is repeated. The deployment
# site of a new app may also not answer immediately.
set -eu
. "$(dirname "$0")/az.sh"
group=$1 app=$2 package=$3
[ -f "$package" ] || fail "there is no package $package; npm run package creates it"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# Succeeds if the package was published, fails if a retry may help, and ends the script otherwise.
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
  "403 with 'using this permission' means a missing role: the identity of the app needs Storage Blob Data Owner on the host account. 403 without this text means a network rule: the app cannot reach the host account, or this machine cannot reach the deployment site of the app." \
  is_published
