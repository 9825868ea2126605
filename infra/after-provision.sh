#!/bin/sh
# Usage: after-provision.sh <resource group> <service bus namespace> <topic> [<subscription id>]
# Run after each provisioning; changes nothing if there is no problem. Needs az (signed in). The subscription is the last
# argument, otherwise AZURE_SUBSCRIPTION_ID, otherwise the one selected in az.
# 1. Removes the match-all rule `$Default` of the Service Bus subscriptions. A new subscription has this rule, and deploying
#    the first rule replaces it. If the rule remained, every pool would wake for every event.
# 2. Fails if an app has a setting with a connection string for its host storage: it takes precedence over the identity.
# 3. Waits until the identity of the apps has the role that the first deployment needs.
set -eu
. "$(dirname "$0")/az.sh"
group=$1 namespace=$2 topic=$3
AZURE_SUBSCRIPTION_ID=${4:-${AZURE_SUBSCRIPTION_ID:-}}

subscriptions=$(azure servicebus topic subscription list --resource-group "$group" --namespace-name "$namespace" \
  --topic-name "$topic" --query "[?starts_with(name, 'wake-')].name" --output tsv) ||
  fail "az could not list the subscriptions of topic $topic in namespace $namespace"
[ -n "$subscriptions" ] || fail "topic $topic in namespace $namespace has no subscription named wake-<pool>. Provision again."

while IFS= read -r subscription <&3; do
  rules=$(azure servicebus topic subscription rule list --resource-group "$group" --namespace-name "$namespace" \
    --topic-name "$topic" --subscription-name "$subscription" --query '[].name' --output tsv) ||
    fail "az could not list the rules of subscription $subscription"
  rules=" $(printf '%s' "$rules" | tr '\r\n' '  ') "
  case $rules in
  *' queue-work-detected '*) ;;
  *) fail "$subscription: rule queue-work-detected is missing. Provision again." ;;
  esac
  case $rules in
  *' $Default '*)
    azure servicebus topic subscription rule delete --resource-group "$group" --namespace-name "$namespace" \
      --topic-name "$topic" --subscription-name "$subscription" --name '$Default' --output none ||
      fail "$subscription: az could not remove the match-all rule"
    echo "$subscription: removed the match-all rule"
    ;;
  *) echo "$subscription: has only the expected rule" ;;
  esac
done 3<<END
$(printf '%s' "$subscriptions" | tr -d '\r')
END

# The template sets neither of these. Platform operations and other tools create them, also empty.
# Sources: Azure/azure-functions-host#11636, #11796.
apps=$(apps_of "$group")
while IFS= read -r app <&3; do
  wrong=$(azure functionapp config appsettings list --resource-group "$group" --name "$app" \
    --query "[?name=='AzureWebJobsStorage' || name=='DEPLOYMENT_STORAGE_CONNECTION_STRING'].name" --output tsv) ||
    fail "az could not list the settings of app $app"
  wrong=$(printf '%s' "$wrong" | tr -d '\r' | tr '\n' ' ')
  [ -z "$wrong" ] || fail "app $app has $wrong, which takes precedence over its identity. Remove it: az functionapp config appsettings delete --resource-group $group --name $app --setting-names $wrong"
  echo "$app: uses the host storage with its identity"
done 3<<END
$apps
END

# The deployment service of Flex Consumption writes the package to the package container of the host account with the identity
# of the app. Storage may not know an assignment yet that is already listed; therefore publish-app.sh repeats a refused
# deployment.
role='Storage Blob Data Owner'
principals=$(azure functionapp list --resource-group "$group" \
  --query '[].identity.userAssignedIdentities.*.principalId[]' --output tsv) ||
  fail "az could not list the identities of the apps in resource group $group"
principals=$(printf '%s\n' "$principals" | tr -d '\r' | sort -u)
[ -n "$principals" ] || fail "the apps of resource group $group have no identity. Provision again."

is_assigned() {
  scopes=$(azure role assignment list --all --assignee "$1" --query "[?roleDefinitionName=='$role'].scope" --output tsv) ||
    fail "az could not list the role assignments of principal $1"
  [ -n "$scopes" ]
}

while IFS= read -r principal <&3; do
  wait_for "role $role of principal $principal, the identity of the apps" \
    "Check the assignments: az role assignment list --all --assignee $principal. If the role is missing, provision again as a user who may assign roles (docs/deploy.md, What you need)." \
    is_assigned "$principal"
  echo "role $role of the apps' identity: assigned"
done 3<<END
$principals
END
