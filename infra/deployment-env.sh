#!/bin/sh
# Usage: deployment-env.sh [<parameter file>] < <variables, one JSON object>
# Prints the variables that the parameter file (by default infra/main.bicepparam of the working folder) reads, in the format of
# GitHub's environment files. Omits missing variables, so that the defaults of the file apply: an empty value would override
# them. Also omits AZURE_ENV_NAME, which a pipeline derives from the name of the environment. Needs jq.
set -eu
parameters=${1:-infra/main.bicepparam}
[ -f "$parameters" ] || { echo "there is no parameter file $parameters in $(pwd)" >&2 && exit 1; }
names=$(tr -d ' \n' < "$parameters" | grep -o "readEnvironmentVariable('[A-Z0-9_]*'" | cut -d "'" -f 2)
# The mark that ends a value is random, so that no line of the value equals it.
mark="end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
jq -r --arg names "$names" --arg mark "$mark" '
  ($names | split("\n") | unique - ["AZURE_ENV_NAME"])[] as $name
  | select(has($name)) | "\($name)<<\($mark)", .[$name], $mark'
