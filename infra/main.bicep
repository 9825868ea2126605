// Sluice on Azure: two storage accounts, a Service Bus topic, and one Flex Consumption app per pool.
// An app deploys it as a module of its own infra/main.bicep; the deployment of this repository passes main.bicepparam.
// No secret is created or stored: every connection uses a service address and a managed identity.
targetScope = 'subscription'

@description('A pool: the function app that runs the workloads of this pool. sluice azure generate updates infra/pools.json from the workloads.')
type poolType = {
  @description('Name of the pool in the workloads.')
  @minLength(1)
  @maxLength(20)
  name: string

  @description('Memory of one instance in MB, which also determines the cores (2048: one, 4096: two). 512 with a quarter of a core is refused: nobody has measured worker threads beside the host there.')
  memory: 2048 | 4096

  @description('Maximum number of instances that the platform starts per function group of this pool. It limits the cost of a high load.')
  @minValue(1)
  @maxValue(1000)
  maximumInstanceCount: int

  @description('Always-ready instances, which are billed while idle; empty to scale to zero. Names: http, durable, or function:<name>.')
  alwaysReady: { name: string, instanceCount: int }[]
}

@description('Name of the environment. The name of the resource group and the unique token of all names are derived from it.')
@minLength(1)
@maxLength(64)
param environmentName string

@description('Region of all resources. It must offer Flex Consumption: az functionapp list-flexconsumption-locations.')
@metadata({ azd: { type: 'location' } })
@minLength(1)
param location string

@description('The pools, at least one: the content of infra/pools.json.')
@minLength(1)
param pools poolType[]

@description('Containers that handlers read and write. sluice azure generate updates infra/containers.json from the workloads.')
param workloadContainers string[]

@description('Node.js version of the apps. To list the versions of a region: az functionapp list-flexconsumption-runtimes --runtime node.')
@allowed(['22', '24'])
param nodeVersion string = '24'

@description('Storage provider of Durable Functions; azureManaged is the Durable Task Scheduler, which does not poll while idle, but is billed per action. The package must be created with the same (sluice package --backend): see docs/deploy.md.')
@allowed(['azureStorage', 'azureManaged'])
param durableBackend string = 'azureStorage'

@description('Redundancy of both storage accounts; zoneRedundant overrides it with Standard_ZRS.')
@allowed(['Standard_LRS', 'Standard_ZRS'])
param storageSku string = 'Standard_LRS'

@description('Whether storage, Service Bus and apps can be reached only through private endpoints in a virtual network. Service Bus then is Premium with one messaging unit, about USD 677 per month (not verified). It cannot be changed after the environment was created.')
param privateNetworking bool = false

@description('Addresses of the virtual network in CIDR notation: a /26 for the endpoints and a /27 for each pool, so at least a /25 for two pools.')
param addressSpace string = '10.100.0.0/22'

@description('Whether storage and apps survive the loss of an availability zone. The platform then keeps two always-ready instances per function group and pool, and bills them. The region must offer it: az functionapp list-flexconsumption-locations --zone-redundant=true.')
param zoneRedundant bool = false

@description('How the platform replaces the instances of an app at a deployment and at a changed setting. Recreate ends running executions by force. RollingUpdate (preview) lets them finish on the old version.')
@allowed(['Recreate', 'RollingUpdate'])
param siteUpdateStrategy string = 'Recreate'

@description('Days after which the lifecycle policy deletes blobs that retention has missed. Must be longer than the longest retentionDays of a workload.')
@minValue(31)
param backstopDays int = 400

@description('Schedule of the polls of the inbox container by every pool (NCRONTAB, UTC); empty: never. Each poll is a billed list operation.')
param inboxSchedule string = '0 */10 * * * *'

@description('Schedule of the sweep, which finds work without a wake event (NCRONTAB, UTC).')
param sweepSchedule string = '0 7-59/15 * * * *'

@description('Additional app settings of every pool, by name: those of docs/deploy.md, and those that workloads read from process.env. They override the settings of the deployment.')
param appSettings object = {}

@description('Daily quota of logs in gigabytes, after which ingestion stops until the next day; a decimal number as text.')
param dailyLogQuotaGb string = '1'

@description('Whether resource logs and metrics of storage, Service Bus and apps are sent to the workspace. Off by default, because storage logs one row per request, which is billed as ingestion and consumes the daily quota.')
param diagnosticSettings bool = false

@description('Whether alert rules are created; each is billed per month.')
param alertRules bool = true

@description('Email address for alerts, for which an action group is created. Empty: no action group.')
param alertEmail string = ''

@description('Resource ids of existing action groups that are also called.')
param actionGroupIds string[] = []

@description('Monthly budget of the resource group, in the currency of the billing account. The action groups are called at 80 %, and when the forecast exceeds it; 0: no budget.')
@minValue(0)
param monthlyBudget int = 0

@description('First day of the month in which the budget is created (YYYY-MM-01); required by monthlyBudget. Do not change the value afterwards: Azure refuses it.')
param budgetStart string = ''

@description('Whether both storage accounts have a lock against deletion. Creating locks requires Owner or User Access Administrator.')
param deleteLocks bool = false

@description('Tags of every resource, in addition to azd-env-name.')
param tags object = {}

@description('Object id of the user or group that operates the pipeline and may read its data; empty: none.')
param operatorPrincipalId string = ''

@description('Type of operatorPrincipalId.')
@allowed(['User', 'Group'])
param operatorPrincipalType string = 'User'

// Names consist of the abbreviation of the type, the environment and a unique token. Of the environment's name, which may have 64
// characters of any kind, they contain the first 16 letters and digits: docs/deploy.md, "Names".
var token = toLower(uniqueString(subscription().id, environmentName, location))
var characters = map(range(0, length(environmentName)), index => toLower(substring(environmentName, index, 1)))
var plainName = join(filter(characters, character => contains('abcdefghijklmnopqrstuvwxyz0123456789', character)), '')
var suffix = empty(plainName) ? token : '${take(plainName, 16)}-${token}'
// The name of a storage account has at most 24 characters and no hyphen.
var accountSuffix = '${take(plainName, 5)}${token}'

// Names and ids that modules need from each other are computed here and not taken from outputs: an output is known only after the
// deployment of its module, so what-if would omit each module that uses one in a name (Source: Microsoft Learn,
// bicep/linter-rule-what-if-short-circuiting). Therefore the modules declare their order with dependsOn.
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
// Invalid combinations stop the deployment before any resource is created.
var usesScheduler = durableBackend != 'azureManaged'
  ? false
  : privateNetworking
      ? fail('privateNetworking cannot be combined with the durable backend azureManaged, which would keep its public endpoint. Use azureStorage.')
      : true
var budgetAmount = monthlyBudget == 0
  ? 0
  : empty(budgetStart)
      ? fail('monthlyBudget requires budgetStart (SLUICE_BUDGET_START): the first day of this month, YYYY-MM-01.')
      : empty(alertEmail) && empty(actionGroupIds)
          ? fail('monthlyBudget requires a recipient: alertEmail or actionGroupIds.')
          : monthlyBudget
var poolNames = map(pools, pool => pool.name)
// No separator, because task hub names allow only letters and digits.
var taskHubs = map(poolNames, pool => 'sluice${pool}')
var subscriptionNames = map(poolNames, pool => 'wake-${pool}')
var packageContainers = map(poolNames, pool => 'app-package-${pool}')
// The host id is the first 32 characters of an app's name in lower case. The pool is at the beginning, so that the host ids differ
// and the apps can share one host account.
var appNames = map(poolNames, pool => 'func-${pool}-${suffix}')
var schedulerName = usesScheduler ? 'dts-${suffix}' : ''

var idOfSubscription = subscription().subscriptionId
var idOfHostAccount = resourceId(idOfSubscription, group.name, 'Microsoft.Storage/storageAccounts', hostAccountName)
var idOfDataAccount = resourceId(idOfSubscription, group.name, 'Microsoft.Storage/storageAccounts', dataAccountName)
var idOfServiceBus = resourceId(idOfSubscription, group.name, 'Microsoft.ServiceBus/namespaces', serviceBusName)
var ownActionGroupId = resourceId(idOfSubscription, group.name, 'Microsoft.Insights/actionGroups', actionGroupName)
var allActionGroupIds = concat(empty(alertEmail) ? [] : [ownActionGroupId], actionGroupIds)

// The storage zones differ between clouds; the other two are those of the public cloud.
var zoneNames = {
  blob: 'privatelink.blob.${environment().suffixes.storage}'
  queue: 'privatelink.queue.${environment().suffixes.storage}'
  table: 'privatelink.table.${environment().suffixes.storage}'
  namespace: 'privatelink.servicebus.windows.net'
  sites: 'privatelink.azurewebsites.net'
}
var zoneIds = mapValues(zoneNames, zone => resourceId(idOfSubscription, group.name, 'Microsoft.Network/privateDnsZones', zone))
// Numbered instead of named after pools, so that a new pool never changes the addresses of a subnet in use.
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

// Host and data have separate accounts: the keys, leases and durable history of the host share no request limit, lifecycle rule or
// role with the batches, and the data account can be kept when the apps are deleted.
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
    // The names are those of shared/contract/names.ts.
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

// Endpoints of the services that the apps call. The apps are deployed after them: an app that resolves a name to the public
// address cannot reach storage.
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
      // Sent only if it was chosen: Azure's type definitions do not have it yet (Azure/bicep-types-az, 2026-08-20). Source:
      // Microsoft Learn, flex-consumption-site-updates.
      moreConfig: siteUpdateStrategy == 'Recreate' ? {} : { siteUpdateStrategy: { type: siteUpdateStrategy } }
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
      order: index
      sweepSchedule: sweepSchedule
      inboxSchedule: inboxSchedule
      appSettings: appSettings
    }
    dependsOn: [access, serviceEndpoints]
  }
]

// Endpoints for requests and deployments: `sites` covers the app and its SCM site. Deployed one by one, as in the module.
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

@description('Resource group of the deployment.')
output AZURE_RESOURCE_GROUP string = group.name

@description('App of the first pool, which client systems call.')
output AZURE_FUNCTION_NAME string = appNames[0]

@description('All apps, in the order of the pools.')
output SLUICE_APPS string[] = appNames

@description('All pools, in the order of the apps.')
output SLUICE_POOLS string[] = poolNames

@description('Storage account of the batches.')
output SLUICE_DATA_ACCOUNT string = dataAccountName

@description('Service Bus namespace of the wake events.')
output SLUICE_SERVICE_BUS string = serviceBusName

@description('Topic of the wake events.')
output SLUICE_TOPIC string = topicName

@description('Managed identity of all apps, in the resource group; for role assignments on resources beside Sluice.')
output SLUICE_IDENTITY string = identityName
