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

@description('Where Durable Functions keeps its state. The scheduler polls nothing while idle, but is billed per action: see docs/deploy.md.')
@allowed(['AzureStorage', 'DurableTaskScheduler'])
param durableBackend string = 'AzureStorage'

@description('Redundancy of both storage accounts; zoneRedundant makes them Standard_ZRS whatever this says.')
@allowed(['Standard_LRS', 'Standard_ZRS'])
param storageSku string = 'Standard_LRS'

@description('Whether storage, Service Bus and apps are reached by private endpoints in a virtual network and by nothing else. Service Bus then is Premium with one messaging unit, about USD 677 per month (not verified). Choose it when the environment is made.')
param privateNetworking bool = false

@description('Addresses of the virtual network in CIDR notation: a /26 for the endpoints and a /27 for each pool, so at least a /25 for two pools.')
param addressSpace string = '10.100.0.0/22'

@description('Whether storage and apps survive the loss of an availability zone. The platform then keeps two instances warm for each function group of each pool, and bills them. The region must offer it: az functionapp list-flexconsumption-locations --zone-redundant=true.')
param zoneRedundant bool = false

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

@description('Gigabytes of logs per day after which ingestion stops until the next day; a decimal number as text.')
param dailyLogQuotaGb string = '1'

@description('Whether resource logs and metrics of storage, Service Bus and apps go to the workspace. Off: storage logs have a row for each request, which is billed as ingestion and uses up the daily quota.')
param diagnosticSettings bool = false

@description('Whether alert rules are made; each is billed by the month.')
param alertRules bool = true

@description('Where alerts are mailed: an action group is made for it. Empty: none is made.')
param alertEmail string = ''

@description('Resource ids of action groups that exist already and are called as well.')
param actionGroupIds string[] = []

@description('Cost per month of the resource group, in the currency of the billing account, that calls the action groups at 80 % and when the forecast passes it; 0: no budget.')
@minValue(0)
param monthlyBudget int = 0

@description('First day of the month in which the budget is first made (YYYY-MM-01); required by monthlyBudget. Keep the value: Azure refuses to change it.')
param budgetStart string = ''

@description('Whether both storage accounts get a lock against deletion. Making locks takes Owner or User Access Administrator.')
param deleteLocks bool = false

@description('Tags for every resource, beside azd-env-name.')
param tags object = {}

@description('Object id of the person or group that operates the pipeline and may read its data; empty: nobody.')
param operatorPrincipalId string = ''

@description('What operatorPrincipalId is.')
@allowed(['User', 'Group'])
param operatorPrincipalType string = 'User'

// Names: abbreviation of the type, environment, unique token. Of the environment's name, which may have 64 characters of any
// kind, the first 16 letters and digits: docs/deploy.md, "Names".
var token = toLower(uniqueString(subscription().id, environmentName, location))
var characters = map(range(0, length(environmentName)), index => toLower(substring(environmentName, index, 1)))
var plainName = join(filter(characters, character => contains('abcdefghijklmnopqrstuvwxyz0123456789', character)), '')
var suffix = empty(plainName) ? token : '${take(plainName, 16)}-${token}'
// A storage account has 24 characters, and no hyphen.
var accountSuffix = '${take(plainName, 5)}${token}'

// Every name and id that one module needs of another is computed here and not taken from its outputs: an output is known only
// after its module was deployed, so that what-if would leave out each module that names a resource by one (learn:
// bicep/linter-rule-what-if-short-circuiting). So modules state their order by dependsOn.
var hostAccountName = 'sthost${accountSuffix}'
var dataAccountName = 'stdata${accountSuffix}'
var serviceBusName = 'sbns-${suffix}'
var workspaceName = 'log-${suffix}'
var componentName = 'appi-${suffix}'
var actionGroupName = 'ag-${suffix}'
var identityName = 'id-${suffix}'
var networkName = 'vnet-${suffix}'

var allTags = union(tags, { 'azd-env-name': environmentName })
var topicName = 'sluice-events'
// What cannot work together stops the deployment before anything is made.
var usesScheduler = durableBackend != 'DurableTaskScheduler'
  ? false
  : privateNetworking
      ? fail('privateNetworking and the durable backend DurableTaskScheduler exclude each other: the scheduler would keep its public endpoint. Use AzureStorage.')
      : true
var budgetAmount = monthlyBudget == 0
  ? 0
  : empty(budgetStart)
      ? fail('monthlyBudget needs budgetStart (SLUICE_BUDGET_START): the first day of this month, YYYY-MM-01.')
      : empty(alertEmail) && empty(actionGroupIds)
          ? fail('monthlyBudget needs somebody to call: alertEmail or actionGroupIds.')
          : monthlyBudget
var poolNames = map(pools, pool => pool.name)
// Task hub names take letters and digits only, and so do pool names: no separator.
var taskHubs = map(poolNames, pool => 'sluice${pool}')
var subscriptionNames = map(poolNames, pool => 'wake-${pool}')
var packageContainers = map(poolNames, pool => 'app-package-${pool}')
// The host id is the first 32 characters of an app's name in lower case; with the pool at its beginning it differs in every
// pool, so that the apps can share one host account.
var appNames = map(poolNames, pool => 'func-${pool}-${suffix}')
var schedulerName = usesScheduler ? 'dts-${suffix}' : ''

var idOfSubscription = subscription().subscriptionId
var idOfHostAccount = resourceId(idOfSubscription, group.name, 'Microsoft.Storage/storageAccounts', hostAccountName)
var idOfDataAccount = resourceId(idOfSubscription, group.name, 'Microsoft.Storage/storageAccounts', dataAccountName)
var idOfServiceBus = resourceId(idOfSubscription, group.name, 'Microsoft.ServiceBus/namespaces', serviceBusName)
var ownActionGroupId = resourceId(idOfSubscription, group.name, 'Microsoft.Insights/actionGroups', actionGroupName)
var allActionGroupIds = concat(empty(alertEmail) ? [] : [ownActionGroupId], actionGroupIds)

// The storage zones differ between clouds, the two others are those of the public cloud.
var zoneNames = {
  blob: 'privatelink.blob.${environment().suffixes.storage}'
  queue: 'privatelink.queue.${environment().suffixes.storage}'
  table: 'privatelink.table.${environment().suffixes.storage}'
  namespace: 'privatelink.servicebus.windows.net'
  sites: 'privatelink.azurewebsites.net'
}
var zoneIds = mapValues(zoneNames, zone => resourceId(idOfSubscription, group.name, 'Microsoft.Network/privateDnsZones', zone))
// By number, not by pool, so that a new pool never changes the addresses of a subnet in use.
var endpointSubnet = 'snet-endpoints'
var appSubnets = map(range(0, length(pools)), index => 'snet-app-${index}')
var subnetType = 'Microsoft.Network/virtualNetworks/subnets'
var endpointSubnetId = resourceId(idOfSubscription, group.name, subnetType, networkName, endpointSubnet)

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: 'rg-${environmentName}'
  location: location
  tags: allTags
}

module network 'modules/network.bicep' = if (privateNetworking) {
  scope: group
  params: {
    name: networkName
    location: location
    tags: allTags
    addressSpace: addressSpace
    endpointSubnet: endpointSubnet
    appSubnets: appSubnets
    zoneNames: map(items(zoneNames), zone => zone.value)
    suffix: suffix
  }
}

// Host and data apart: the keys, leases and durable history of the host share no request limit, no lifecycle rule and no
// role with the batches, and the data account can be kept when the apps are thrown away.
module hostStorage 'modules/storage.bicep' = {
  scope: group
  params: {
    name: hostAccountName
    location: location
    tags: allTags
    sku: zoneRedundant ? 'Standard_ZRS' : storageSku
    privateOnly: privateNetworking
    deleteLock: deleteLocks
    containers: packageContainers
    keptContainers: []
    tables: []
    backstopDays: 0
  }
}

module dataStorage 'modules/storage.bicep' = {
  scope: group
  params: {
    name: dataAccountName
    location: location
    tags: allTags
    sku: zoneRedundant ? 'Standard_ZRS' : storageSku
    privateOnly: privateNetworking
    deleteLock: deleteLocks
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
    name: serviceBusName
    location: location
    tags: allTags
    privateOnly: privateNetworking
    topicName: topicName
    pools: poolNames
    subscriptionNames: subscriptionNames
    account: dataAccountName
  }
}

// What the apps call. They start after it: a name that resolves to the public address is an app that reaches no storage.
module serviceEndpoints 'modules/private-endpoints.bicep' = if (privateNetworking) {
  scope: group
  params: {
    suffix: suffix
    location: location
    tags: allTags
    subnetId: endpointSubnetId
    zoneIds: zoneIds
    endpoints: [
      { name: 'host-blob', target: idOfHostAccount, group: 'blob' }
      { name: 'host-queue', target: idOfHostAccount, group: 'queue' }
      { name: 'host-table', target: idOfHostAccount, group: 'table' }
      { name: 'data-blob', target: idOfDataAccount, group: 'blob' }
      { name: 'data-queue', target: idOfDataAccount, group: 'queue' }
      { name: 'data-table', target: idOfDataAccount, group: 'table' }
      { name: 'bus', target: idOfServiceBus, group: 'namespace' }
    ]
  }
  dependsOn: [network, hostStorage, dataStorage, serviceBus]
}

module monitoring 'modules/monitoring.bicep' = {
  scope: group
  params: {
    workspaceName: workspaceName
    componentName: componentName
    actionGroupName: actionGroupName
    location: location
    tags: allTags
    dailyQuotaGb: dailyLogQuotaGb
    alertEmail: alertEmail
  }
}

module scheduler 'modules/durable-task.bicep' = if (usesScheduler) {
  scope: group
  params: {
    name: schedulerName
    location: location
    tags: allTags
    taskHubs: taskHubs
  }
}

module access 'modules/access.bicep' = {
  scope: group
  params: {
    identityName: identityName
    location: location
    tags: allTags
    hostAccountName: hostAccountName
    dataAccountName: dataAccountName
    serviceBusName: serviceBusName
    componentName: componentName
    schedulerName: schedulerName
    operatorPrincipalId: operatorPrincipalId
    operatorPrincipalType: operatorPrincipalType
  }
  dependsOn: [hostStorage, dataStorage, serviceBus, monitoring, scheduler]
}

module apps 'modules/function-app.bicep' = [
  for (pool, index) in pools: {
    scope: group
    params: {
      name: appNames[index]
      planName: 'asp-${pool.name}-${suffix}'
      location: location
      tags: allTags
      pool: pool.name
      subnetId: privateNetworking
        ? resourceId(idOfSubscription, group.name, subnetType, networkName, appSubnets[index])
        : ''
      zoneRedundant: zoneRedundant
      nodeVersion: nodeVersion
      memory: pool.memory
      maximumInstanceCount: pool.maximumInstanceCount
      alwaysReady: pool.alwaysReady
      identityName: identityName
      hostAccountName: hostAccountName
      dataAccountName: dataAccountName
      packageContainer: packageContainers[index]
      serviceBusName: serviceBusName
      topicName: topicName
      subscriptionName: subscriptionNames[index]
      taskHub: taskHubs[index]
      schedulerName: schedulerName
      componentName: componentName
      sweepSchedule: sweepSchedule
      inboxSchedule: inboxSchedule
      urlHosts: urlHosts
      settings: settings
    }
    dependsOn: [access, serviceEndpoints]
  }
]

// How the apps are called and published to: `sites` covers the app and its SCM site. One after the other, as in the module.
@batchSize(1)
module appEndpoints 'modules/private-endpoints.bicep' = [
  for (pool, index) in pools: if (privateNetworking) {
    scope: group
    params: {
      suffix: suffix
      location: location
      tags: allTags
      subnetId: endpointSubnetId
      zoneIds: zoneIds
      endpoints: [
        {
          name: 'app-${pool.name}'
          target: resourceId(idOfSubscription, group.name, 'Microsoft.Web/sites', appNames[index])
          group: 'sites'
        }
      ]
    }
    dependsOn: [network, apps]
  }
]

module alerts 'modules/alerts.bicep' = if (alertRules) {
  scope: group
  params: {
    suffix: suffix
    location: location
    tags: allTags
    workspaceName: workspaceName
    serviceBusName: serviceBusName
    accountNames: [hostAccountName, dataAccountName]
    appNames: appNames
    actionGroupIds: allActionGroupIds
  }
  dependsOn: [monitoring, apps]
}

module diagnostics 'modules/diagnostics.bicep' = if (diagnosticSettings) {
  scope: group
  params: {
    workspaceName: workspaceName
    accountNames: [hostAccountName, dataAccountName]
    serviceBusName: serviceBusName
    appNames: appNames
  }
  dependsOn: [monitoring, apps]
}

module budget 'modules/budget.bicep' = if (budgetAmount > 0) {
  scope: group
  params: {
    suffix: suffix
    amount: budgetAmount
    startDate: budgetStart
    actionGroupIds: allActionGroupIds
  }
  dependsOn: [monitoring]
}

@description('Region of the deployment.')
output AZURE_LOCATION string = location

@description('Tenant of the deployment.')
output AZURE_TENANT_ID string = tenant().tenantId

@description('Resource group that holds everything.')
output AZURE_RESOURCE_GROUP string = group.name

@description('The app of the first pool: the one that client systems call.')
output AZURE_FUNCTION_NAME string = appNames[0]

@description('Every app, in the order of the pools.')
output SLUICE_APPS string[] = appNames

@description('Every pool, in the order of the apps.')
output SLUICE_POOLS string[] = poolNames

@description('Storage account of the batches.')
output SLUICE_DATA_ACCOUNT string = dataAccountName

@description('Service Bus namespace of the wake events.')
output SLUICE_SERVICE_BUS string = serviceBusName

@description('Topic of the wake events.')
output SLUICE_TOPIC string = topicName
