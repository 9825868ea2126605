@description('Name of the app.')
param name string

@description('Name of the plan; Flex Consumption allows one app per plan.')
param planName string

@description('Region of the app.')
param location string

@description('Tags of app and plan.')
param tags object

@description('Pool whose workloads the app runs.')
param pool string

@description('Subnet for the app\'s outbound calls, delegated to Microsoft.App/environments; empty: no virtual network, and the app is public.')
param subnetId string

@description('Whether instances are spread over availability zones; the platform then keeps two always-ready instances per function group, and bills them.')
param zoneRedundant bool

@description('More properties of functionAppConfig.')
param moreConfig object

@description('Node.js version.')
param nodeVersion string

@description('Memory of an instance in MB.')
param memory int

@description('Maximum number of instances per function group.')
param maximumInstanceCount int

@description('Always-ready instances; may be empty.')
param alwaysReady { name: string, instanceCount: int }[]

@description('Identity of the app.')
param identityName string

@description('Account of the host.')
param hostAccountName string

@description('Account of the batches.')
param dataAccountName string

@description('Container of the host account for the deployment package.')
param packageContainer string

@description('Namespace of the events.')
param serviceBusName string

@description('Topic of the events.')
param topicName string

@description('Subscription that wakes this pool.')
param subscriptionName string

@description('Task hub of this pool. A hub has one work-item queue, so pools with separate hubs never wait for each other.')
param taskHub string

@description('Durable Task Scheduler; empty: the host account stores the durable state.')
param schedulerName string

@description('Application Insights component.')
param componentName string

@description('Position of the pool: timers of six fields that fire at second 0 fire ten seconds later for each earlier pool.')
param order int

@description('Schedule of the sweep.')
param sweepSchedule string

@description('Schedule of the polls of the inbox; empty: never.')
param inboxSchedule string

@description('Additional app settings, which override those of this module.')
param appSettings object

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' existing = {
  name: identityName
}

resource hostAccount 'Microsoft.Storage/storageAccounts@2025-06-01' existing = {
  name: hostAccountName
}

resource dataAccount 'Microsoft.Storage/storageAccounts@2025-06-01' existing = {
  name: dataAccountName
}

resource serviceBus 'Microsoft.ServiceBus/namespaces@2024-01-01' existing = {
  name: serviceBusName
}

resource component 'Microsoft.Insights/components@2020-02-02' existing = {
  name: componentName
}

resource scheduler 'Microsoft.DurableTask/schedulers@2026-02-01' existing = if (!empty(schedulerName)) {
  name: schedulerName
}

var identityClientId = identity.properties.clientId

// Timers of all pools at the same second would start an instance each, and read the same tables, at once.
var ownSecond = string((order * 10) % 60)

// Runtime and worker are configured in functionAppConfig: Flex Consumption refuses FUNCTIONS_* and most WEBSITE_* settings, or
// they are harmful.
var baseSettings = {
  // Beside the addresses: with these alone, the host can fail to create its storage client while it starts.
  AzureWebJobsStorage__accountName: hostAccount.name
  AzureWebJobsStorage__blobServiceUri: hostAccount.properties.primaryEndpoints.blob
  AzureWebJobsStorage__queueServiceUri: hostAccount.properties.primaryEndpoints.queue
  AzureWebJobsStorage__tableServiceUri: hostAccount.properties.primaryEndpoints.table
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: identityClientId
  SluiceStorage__blobServiceUri: dataAccount.properties.primaryEndpoints.blob
  SluiceStorage__queueServiceUri: dataAccount.properties.primaryEndpoints.queue
  SluiceStorage__tableServiceUri: dataAccount.properties.primaryEndpoints.table
  SluiceStorage__credential: 'managedidentity'
  SluiceStorage__clientId: identityClientId
  SluiceServiceBus__fullyQualifiedNamespace: '${serviceBus.name}.servicebus.windows.net'
  SluiceServiceBus__credential: 'managedidentity'
  SluiceServiceBus__clientId: identityClientId
  APPLICATIONINSIGHTS_CONNECTION_STRING: component.properties.ConnectionString
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identityClientId};Authorization=AAD'
  // Stops the exporter from sending statistics about itself to Microsoft.
  APPLICATION_INSIGHTS_NO_STATSBEAT: '1'
  SLUICE_POOL: pool
  SLUICE_TOPIC: topicName
  SLUICE_SUBSCRIPTION: subscriptionName
  SLUICE_TASK_HUB: taskHub
  // Activities that all instances can run at the same time, five each (host.json). The plan leaves one of five for collecting.
  SLUICE_CAPACITY: string(maximumInstanceCount * 5)
  // Every chunk allocates and frees buffers. A young generation of 3 x 8 MiB instead of 3 x 16 MiB saves about 60 MB per instance.
  NODE_OPTIONS: '--max-semi-space-size=8'
  SLUICE_SWEEP_SCHEDULE: startsWith(sweepSchedule, '0 ') && length(split(sweepSchedule, ' ')) == 6 ? '${ownSecond}${substring(sweepSchedule, 1)}' : sweepSchedule
  // One thread per core of the size: what os.availableParallelism() returns on an instance is not documented.
  SLUICE_THREADS: memory >= 4096 ? '2' : '1'
  // A quarter of the memory per worker thread: the rest is for the host and the main thread.
  SLUICE_THREAD_MEMORY_MB: string(memory / 4)
}

var inboxSettings = empty(inboxSchedule)
  ? {}
  : {
      SLUICE_INBOX_SCHEDULE: startsWith(inboxSchedule, '0 ') && length(split(inboxSchedule, ' ')) == 6 ? '${ownSecond}${substring(inboxSchedule, 1)}' : inboxSchedule
    }

// host.json of the package selects the backend: the scale controller reads no override of it by a setting
// (Azure/azure-functions-durable-extension#2622).
var schedulerSettings = empty(schedulerName)
  ? {}
  : {
      DURABLE_TASK_SCHEDULER_CONNECTION_STRING: 'Endpoint=${scheduler!.properties.endpoint};Authentication=ManagedIdentity;ClientID=${identityClientId}'
    }

var allSettings = union(baseSettings, inboxSettings, schedulerSettings, appSettings)

resource plan 'Microsoft.Web/serverfarms@2025-03-01' = {
  name: planName
  location: location
  tags: tags
  kind: 'functionapp'
  sku: { name: 'FC1', tier: 'FlexConsumption' }
  properties: { reserved: true, zoneRedundant: zoneRedundant }
}

resource app 'Microsoft.Web/sites@2025-03-01' = {
  name: name
  location: location
  // azd finds the app of a service by this tag; the services in azure.yaml have the names of the pools.
  tags: union(tags, { 'azd-service-name': pool })
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identity.id}': {} }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    // On Flex Consumption, all outbound traffic goes through the subnet; this cannot be restricted to a part of it.
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    publicNetworkAccess: empty(subnetId) ? 'Enabled' : 'Disabled'
    siteConfig: {
      alwaysOn: false
      minTlsVersion: '1.2'
      appSettings: map(items(allSettings), setting => { name: setting.key, value: setting.value })
    }
    functionAppConfig: union(moreConfig, {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: '${hostAccount.properties.primaryEndpoints.blob}${packageContainer}'
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identity.id
          }
        }
      }
      runtime: { name: 'node', version: nodeVersion }
      scaleAndConcurrency: {
        instanceMemoryMB: memory
        maximumInstanceCount: maximumInstanceCount
        alwaysReady: alwaysReady
      }
    })
  }
}

// Deployments sign in with Entra ID; publishing passwords would be an additional secret.
resource ftpPublishing 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2025-03-01' = {
  parent: app
  name: 'ftp'
  properties: { allow: false }
}

resource scmPublishing 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2025-03-01' = {
  parent: app
  name: 'scm'
  properties: { allow: false }
}
