// Sluice is a module of its package. Add resources of your own beside it.
targetScope = 'subscription'

@description('Name of the environment; the resource group is rg-<name>.')
param environmentName string

@description('Region of all resources.')
param location string

@description('Storage provider of Durable Functions: azureStorage or azureManaged. npm run package reads the same variable.')
param durableBackend string = 'azureStorage'

@description('Email address for alerts; empty: none.')
param alertEmail string = ''

@description('Settings of your workloads, which read them from process.env.')
param appSettings object = {}

module sluice '../node_modules/sluice/infra/main.bicep' = {
  params: {
    environmentName: environmentName
    location: location
    pools: loadJsonContent('pools.json')
    workloadContainers: loadJsonContent('containers.json')
    durableBackend: durableBackend
    alertEmail: alertEmail
    appSettings: appSettings
  }
}

// What the hooks in azure.yaml and `sluice azure` need.
output AZURE_RESOURCE_GROUP string = sluice.outputs.AZURE_RESOURCE_GROUP
output AZURE_FUNCTION_NAME string = sluice.outputs.AZURE_FUNCTION_NAME
output SLUICE_APPS string[] = sluice.outputs.SLUICE_APPS
output SLUICE_SERVICE_BUS string = sluice.outputs.SLUICE_SERVICE_BUS
output SLUICE_TOPIC string = sluice.outputs.SLUICE_TOPIC
