// Sluice on Azure: two storage accounts, a Service Bus topic, and one Flex Consumption app per pool.
// No secret is made or stored: every connection is a service address and a managed identity.
targetScope = 'subscription'

@description('A pool: the function app that runs the workloads which name it. infra/pools.json is kept in step with workloads/index.ts.')
type poolType = {
  @description('Name of the pool, as the workloads write it.')
  @minLength(1)
  @maxLength(20)
  name: string

  @description('Memory of one instance in MB; it decides the cores too (512: a quarter, 2048: one, 4096: two).')
  memory: 512 | 2048 | 4096

  @description('Most instances the platform may start for one function group of this pool: the bound of what a flood of work can cost.')
  @minValue(1)
  @maxValue(1000)
  maximumInstanceCount: int

  @description('Instances that are kept warm and billed while idle; empty for scale to zero. Names: http, durable, or function:<name>.')
  alwaysReady: { name: string, instanceCount: int }[]
}

@description('Name of the environment. It names the resource group and seeds the unique token of all names.')
@minLength(1)
@maxLength(64)
param environmentName string

@description('Region of all resources. It must offer Flex Consumption: az functionapp list-flexconsumption-locations.')
@metadata({ azd: { type: 'location' } })
@minLength(1)
param location string

@description('The pools, at least one.')
@minLength(1)
param pools poolType[] = loadJsonContent('pools.json')

@description('Containers that handlers read and write. infra/containers.json is kept in step with workloads/index.ts.')
param workloadContainers string[] = loadJsonContent('containers.json')

@description('Node.js version of the apps. Ask the region what it takes: az functionapp list-flexconsumption-runtimes --runtime node.')
@allowed(['22', '24'])
param nodeVersion string = '24'

@description('Where Durable Functions keeps its state. The scheduler polls nothing while idle, but is billed by the action: see docs/deploy.md.')
@allowed(['AzureStorage', 'DurableTaskScheduler'])
param durableBackend string = 'AzureStorage'

@description('Redundancy of both storage accounts.')
@allowed(['Standard_LRS', 'Standard_ZRS'])
param storageSku string = 'Standard_LRS'

@description('Days after which the backstop removes blobs that retention has missed. Must be longer than the longest retentionDays of a workload.')
@minValue(31)
param backstopDays int = 400

@description('When every pool looks into the inbox container (NCRONTAB, UTC); empty: never. Each look is a billed list operation.')
param inboxSchedule string = '0 */10 * * * *'

@description('Hosts that files may be imported from, with commas between: files.example.com, or *.example.com for all below; empty: none.')
param urlHosts string = ''

@description('When the sweep looks for work that no wake event announced (NCRONTAB, UTC).')
param sweepSchedule string = '0 */15 * * * *'

@description('More app settings for every pool, by name; the names are those of shared/settings.ts, or what workloads read from process.env.')
param settings object = {}

@description('Gigabytes of logs a day after which ingestion stops until the next day; a decimal number as text.')
param dailyLogQuotaGb string = '1'

@description('Whether alert rules are made; each is billed by the month.')
param alertRules bool = true

@description('Where alerts are mailed; empty: the alerts fire without a receiver.')
param alertEmail string = ''

@description('Object id of the person or group that operates the pipeline and may read its data; empty: nobody.')
param operatorPrincipalId string = ''

@description('What operatorPrincipalId is.')
@allowed(['User', 'Group'])
param operatorPrincipalType string = 'User'

var token = toLower(uniqueString(subscription().id, environmentName, location))
var tags = { 'azd-env-name': environmentName }
var topicName = 'sluice-events'
var usesScheduler = durableBackend == 'DurableTaskScheduler'
var poolNames = map(pools, pool => pool.name)
// Task hub names take letters and digits only, and so do pool names: no separator.
var taskHubs = map(poolNames, pool => 'sluice${pool}')
var packageContainers = map(poolNames, pool => 'app-package-${pool}')

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: 'rg-${environmentName}'
  location: location
  tags: tags
}

// Host and data apart: the keys, leases and durable history of the host share no request limit, no lifecycle rule and no
// role with the batches, and the data account can be kept when the apps are thrown away.
module hostStorage 'modules/storage.bicep' = {
  scope: group
  params: {
    name: 'sthost${token}'
    location: location
    tags: tags
    sku: storageSku
    containers: packageContainers
    keptContainers: []
    tables: []
    backstopDays: 0
  }
}

module dataStorage 'modules/storage.bicep' = {
  scope: group
  params: {
    name: 'stdata${token}'
    location: location
    tags: tags
    sku: storageSku
    // The names of shared/contract/names.ts.
    containers: ['payloads', 'results', 'reports', 'redrives', 'inbox', 'inbox-done', 'inbox-rejected']
    keptContainers: workloadContainers
    tables: ['batches', 'gates', 'keys']
    backstopDays: backstopDays
  }
}

module serviceBus 'modules/service-bus.bicep' = {
  scope: group
  params: {
    name: 'sb-${token}'
    location: location
    tags: tags
    topicName: topicName
    pools: poolNames
    account: dataStorage.outputs.name
  }
}

module monitoring 'modules/monitoring.bicep' = {
  scope: group
  params: {
    token: token
    location: location
    tags: tags
    dailyQuotaGb: dailyLogQuotaGb
    alertRules: alertRules
    alertEmail: alertEmail
    serviceBusName: serviceBus.outputs.name
  }
}

module scheduler 'modules/durable-task.bicep' = if (usesScheduler) {
  scope: group
  params: {
    name: 'dts-${token}'
    location: location
    tags: tags
    taskHubs: taskHubs
  }
}

module access 'modules/access.bicep' = {
  scope: group
  params: {
    identityName: 'id-${token}'
    location: location
    tags: tags
    hostAccountName: hostStorage.outputs.name
    dataAccountName: dataStorage.outputs.name
    serviceBusName: serviceBus.outputs.name
    componentName: monitoring.outputs.componentName
    schedulerName: usesScheduler ? scheduler!.outputs.name : ''
    operatorPrincipalId: operatorPrincipalId
    operatorPrincipalType: operatorPrincipalType
  }
}

module apps 'modules/function-app.bicep' = [
  for (pool, index) in pools: {
    scope: group
    params: {
      // The host id is the first 32 characters of this name in lower case; with the pool before the token it differs in
      // every pool, so that the apps can share one host account.
      name: 'func-${pool.name}-${token}'
      planName: 'plan-${pool.name}-${token}'
      location: location
      tags: tags
      pool: pool.name
      nodeVersion: nodeVersion
      memory: pool.memory
      maximumInstanceCount: pool.maximumInstanceCount
      alwaysReady: pool.alwaysReady
      identityId: access.outputs.identityId
      identityClientId: access.outputs.identityClientId
      hostAccountName: hostStorage.outputs.name
      dataAccountName: dataStorage.outputs.name
      packageContainer: packageContainers[index]
      serviceBusName: serviceBus.outputs.name
      topicName: topicName
      subscriptionName: serviceBus.outputs.subscriptions[index]
      taskHub: taskHubs[index]
      schedulerName: usesScheduler ? scheduler!.outputs.name : ''
      componentName: monitoring.outputs.componentName
      sweepSchedule: sweepSchedule
      inboxSchedule: inboxSchedule
      urlHosts: urlHosts
      settings: settings
    }
  }
]

@description('Region of the deployment.')
output AZURE_LOCATION string = location

@description('Tenant of the deployment.')
output AZURE_TENANT_ID string = tenant().tenantId

@description('Resource group that holds everything.')
output AZURE_RESOURCE_GROUP string = group.name

@description('The app of the first pool: the one that client systems call.')
output AZURE_FUNCTION_NAME string = apps[0].outputs.name

@description('Every app, in the order of the pools.')
output SLUICE_APPS string[] = [for (pool, index) in pools: apps[index].outputs.name]

@description('Every pool, in the order of the apps.')
output SLUICE_POOLS string[] = poolNames

@description('Storage account of the batches.')
output SLUICE_DATA_ACCOUNT string = dataStorage.outputs.name

@description('Service Bus namespace of the wake events.')
output SLUICE_SERVICE_BUS string = serviceBus.outputs.name

@description('Topic of the wake events.')
output SLUICE_TOPIC string = topicName
