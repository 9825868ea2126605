#!/bin/sh
# Usage: deployment-env.sh < <variables, one JSON object>
# Prints those variables that infra/main.bicepparam reads, in the form of GitHub's environment files. A variable that is
# not there is left out, so that the default of main.bicepparam holds; an empty one would take its place. AZURE_ENV_NAME is
# left out too: a pipeline has it from the name of the environment. Needs jq.
set -eu
names=$(tr -d ' \n' < "$(dirname "$0")/main.bicepparam" | grep -o "readEnvironmentVariable('[A-Z0-9_]*'" | cut -d "'" -f 2)
# The mark that ends a value must not be a line of it.
mark="end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
jq -r --arg names "$names" --arg mark "$mark" '
  ($names | split("\n") | unique - ["AZURE_ENV_NAME"])[] as $name
  | select(has($name)) | "\($name)<<\($mark)", .[$name], $mark'
