#!/bin/sh
# Usage: first-publish.sh <resource group> <package zip>
# Publishes the package to the apps that have none yet, before azd deploys: azd gives up at the first 403 of storage, and a
# new role assignment takes minutes to spread (publish-app.sh). Does nothing for an app that has functions already.
# Needs az (signed in). The subscription is AZURE_SUBSCRIPTION_ID, else the one that az has selected.
set -eu
here=$(dirname "$0")
. "$here/az.sh"
group=$1 package=$2

apps=$(apps_of "$group")
while IFS= read -r app <&3; do
  # An app that cannot list its functions gets the package as well: that is harmless, and fails loudly if it is broken.
  functions=$(azure functionapp function list --resource-group "$group" --name "$app" --query '[].name' --output tsv) ||
    functions=
  if [ -n "$functions" ]; then
    echo "$app: has been published before"
  else
    sh "$here/publish-app.sh" "$group" "$app" "$package"
  fi
done 3<<END
$apps
END
