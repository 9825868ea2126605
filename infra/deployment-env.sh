#!/bin/sh
# Usage: deployment-env.sh < <variables, one JSON object>
# Prints the variables that infra/main.bicepparam reads, in the format of GitHub's environment files. Omits missing variables,
# so that the defaults of main.bicepparam apply: an empty value would override them. Also omits AZURE_ENV_NAME, which a
# pipeline derives from the name of the environment. Needs jq.
set -eu
names=$(tr -d ' \n' < "$(dirname "$0")/main.bicepparam" | grep -o "readEnvironmentVariable('[A-Z0-9_]*'" | cut -d "'" -f 2)
# The mark that ends a value is random, so that no line of the value equals it.
mark="end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
jq -r --arg names "$names" --arg mark "$mark" '
  ($names | split("\n") | unique - ["AZURE_ENV_NAME"])[] as $name
  | select(has($name)) | "\($name)<<\($mark)", .[$name], $mark'
