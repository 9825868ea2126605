#!/bin/sh
# Usage: publish.sh <outputs of the deployment, JSON> <package zip>
# Publishes the package to the app of every pool and then runs its sweep, so that drains of the old version are replaced
# immediately instead of at the next timer. Needs az (signed in), jq and curl. The subscription is AZURE_SUBSCRIPTION_ID,
# otherwise the one selected in az.
set -eu
here=$(dirname "$0")
outputs=$1 package=$2

group=$(sh "$here/output.sh" "$outputs" AZURE_RESOURCE_GROUP)
apps=$(sh "$here/output.sh" "$outputs" SLUICE_APPS)
while IFS= read -r app <&3; do
  sh "$here/publish-app.sh" "$group" "$app" "$package"
  sh "$here/sweep.sh" "$group" "$app"
done 3<<END
$apps
END
