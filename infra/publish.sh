#!/bin/sh
# Usage: publish.sh <outputs of the deployment, JSON> <package zip>
# Publishes the package to the app of every pool, then lets each sweep: a drain that the old version left behind is
# taken over at once instead of at the next sweep. Needs az (signed in), jq and curl.
set -eu
outputs=$1 package=$2
here=$(dirname "$0")

group=$(sh "$here/output.sh" "$outputs" AZURE_RESOURCE_GROUP)
for app in $(sh "$here/output.sh" "$outputs" SLUICE_APPS); do
  echo "publishing to $app"
  az functionapp deployment source config-zip --resource-group "$group" --name "$app" --src "$package" --output none
  sh "$here/sweep.sh" "$group" "$app"
done
