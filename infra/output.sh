#!/bin/sh
# Usage: output.sh <outputs of the deployment, JSON> <name>
# Prints an output of the deployment; an array has one element per line. Names are compared ignoring case, because Azure changes
# the case of the first letters (AZURE_X becomes azurE_X).
set -eu
jq -re --arg name "$2" '
  to_entries[] | select((.key | ascii_downcase) == ($name | ascii_downcase)) | .value.value
  | if type == "array" then .[] else . end' "$1" || { echo "$1 has no output $2" >&2 && exit 1; }
