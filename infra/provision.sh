#!/bin/sh
# Usage: provision.sh <environment> <location> <parameter file> <outputs>
# Deploys the template of the parameter file, and writes the outputs of the deployment, JSON. Pauses the queues of the apps
# before (pause.sh), because a changed setting ends what runs; publish.sh or resume.sh must follow. Deploys nothing if the last
# deployment succeeded with the same template and parameters, as azd does: each deployment may restart the apps. It does not
# see what was changed without a deployment; to repair that, deploy with az. Needs az (signed in) with Bicep, and jq. The
# subscription is AZURE_SUBSCRIPTION_ID, otherwise the one selected in az.
set -eu
here=$(dirname "$0")
. "$here/az.sh"
environment=$1 location=$2 parameters=$3 outputs=$4
name=sluice-$environment

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Azure computes the hash of a template, and each deployment stores it with the values of all parameters. If any of this is not
# available, the template is deployed.
is_deployed() {
  az bicep build-params --file "$parameters" --stdout >"$work/built" || return 1
  jq -r .templateJson "$work/built" >"$work/template"
  jq -r .parametersJson "$work/built" >"$work/given"
  azure deployment sub show --name "$name" --query properties --output json >"$work/last" 2>/dev/null || return 1
  hash=$(az rest --method post --body "@$work/template" --query templateHash --output tsv \
    --url 'https://management.azure.com/providers/Microsoft.Resources/calculateTemplateHash?api-version=2025-04-01' |
    tr -d '\r') || return 1
  # A parameter that is not given has its default, which is compared as it is written.
  jq -e --arg hash "$hash" --slurpfile template "$work/template" --slurpfile given "$work/given" '
    .provisioningState == "Succeeded" and $hash != "" and .templateHash == $hash and .outputs != null and
    (.parameters as $last | [
      $template[0].parameters | to_entries[] | .key as $key |
      ($given[0].parameters[$key] // { value: .value.defaultValue }).value == $last[$key].value
    ] | all)' "$work/last" >/dev/null
}

if is_deployed; then
  echo "$name: nothing has changed since the last deployment"
  jq .outputs "$work/last" >"$outputs"
else
  sh "$here/pause.sh" "rg-$environment"
  azure deployment sub create --name "$name" --location "$location" --parameters "$parameters" \
    --query properties.outputs --output json >"$work/outputs" || {
    sh "$here/resume.sh" "rg-$environment" || true
    fail "$name could not be deployed"
  }
  mv "$work/outputs" "$outputs"
fi
