// The deployment of an app: Sluice as a module of its package, and resources of its own beside it.
targetScope = 'subscription'

@description('Name of the environment.')
param environmentName string

@description('Region of all resources.')
param location string

@description('Email address for alerts; empty: none.')
param alertEmail string = ''

module sluice '../node_modules/sluice/infra/main.bicep' = {
  params: {
    environmentName: environmentName
    location: location
    pools: loadJsonContent('pools.json')
    workloadContainers: loadJsonContent('containers.json')
    alertEmail: alertEmail
    appSettings: {
      LEDGER_URL: 'https://ledger.example.com'
      SLUICE_MAX_ITEMS: '1000000'
    }
  }
}

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: 'rg-${environmentName}-own'
  location: location
}

// The app can read and write this account with the identity of Sluice.
module archive 'archive.bicep' = {
  scope: group
  params: { location: location, identityName: sluice.outputs.SLUICE_IDENTITY, identityGroup: sluice.outputs.AZURE_RESOURCE_GROUP }
}

// What the hooks of azure.yaml and the commands of `sluice azure` need, and an output of the app.
output AZURE_RESOURCE_GROUP string = sluice.outputs.AZURE_RESOURCE_GROUP
output AZURE_FUNCTION_NAME string = sluice.outputs.AZURE_FUNCTION_NAME
output SLUICE_APPS string[] = sluice.outputs.SLUICE_APPS
output SLUICE_SERVICE_BUS string = sluice.outputs.SLUICE_SERVICE_BUS
output SLUICE_TOPIC string = sluice.outputs.SLUICE_TOPIC
output ARCHIVE_ACCOUNT string = archive.outputs.account
