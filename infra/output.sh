#!/bin/sh
# Usage: output.sh <outputs of the deployment, JSON> <name>
# Prints an output of the deployment, an array with one element per line. Azure changes the case of the first letters of output
# names (AZURE_X comes back as azurE_X), so names are compared in one case.
set -eu
jq -re --arg name "$2" '
  to_entries[] | select((.key | ascii_downcase) == ($name | ascii_downcase)) | .value.value
  | if type == "array" then .[] else . end' "$1" || { echo "$1 has no output $2" >&2 && exit 1; }
