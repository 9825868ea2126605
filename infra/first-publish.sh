#!/bin/sh
# Usage: first-publish.sh <resource group> <package zip>
# Publishes the package to the apps that have none yet, before azd deploys: azd fails at the first 403 of storage, and a new
# role assignment takes minutes to become effective (publish-app.sh). Does nothing for an app that already has functions.
# Needs az (signed in). The subscription is AZURE_SUBSCRIPTION_ID, otherwise the one selected in az.
set -eu
here=$(dirname "$0")
. "$here/az.sh"
group=$1 package=$2

apps=$(apps_of "$group")
while IFS= read -r app <&3; do
  # An app that cannot list its functions also gets the package: this is harmless, and fails with an error if the app is broken.
  functions=$(azure functionapp function list --resource-group "$group" --name "$app" --query '[].name' --output tsv) ||
    functions=
  if [ -n "$functions" ]; then
    echo "$app: already published"
  else
    sh "$here/publish-app.sh" "$group" "$app" "$package"
  fi
done 3<<END
$apps
END
