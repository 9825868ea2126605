@description('Name of the app.')
param name string

@description('Name of its plan; Flex Consumption takes one app per plan.')
param planName string

@description('Region of the app.')
param location string

@description('Tags of app and plan.')
param tags object

@description('Pool whose workloads the app runs.')
param pool string

@description('Subnet for the app\'s outbound calls, delegated to Microsoft.App/environments; empty: no virtual network, and the app is public.')
param subnetId string

@description('Whether instances are spread over availability zones; the platform then keeps two instances per function group, and bills them.')
param zoneRedundant bool

@description('Node.js version.')
param nodeVersion string

@description('Memory of an instance in MB.')
param memory int

@description('Most instances for one function group.')
param maximumInstanceCount int

@description('Instances kept warm; may be empty.')
param alwaysReady { name: string, instanceCount: int }[]

@description('Identity of the app.')
param identityName string

@description('Account of the host.')
param hostAccountName string

@description('Account of the batches.')
param dataAccountName string

@description('Container of the host account that takes the deployment package.')
param packageContainer string

@description('Namespace of the events.')
param serviceBusName string

@description('Topic of the events.')
param topicName string

@description('Subscription that wakes this pool.')
param subscriptionName string

@description('Task hub of this pool: one hub has one work-item queue, so pools never wait for one another.')
param taskHub string

@description('Durable Task Scheduler; empty: durable state in the host account.')
param schedulerName string

@description('Application Insights component.')
param componentName string

@description('When the sweep runs.')
param sweepSchedule string

@description('When the inbox is looked at; empty: never.')
param inboxSchedule string

@description('Hosts that files may be imported from; empty: none.')
param urlHosts string

@description('More app settings.')
param settings object

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

// Runtime and worker are set in functionAppConfig: on Flex Consumption FUNCTIONS_* and most WEBSITE_* settings are refused or harmful.
var baseSettings = {
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
  // The exporter would otherwise report about itself to its makers.
  APPLICATION_INSIGHTS_NO_STATSBEAT: '1'
  SLUICE_POOL: pool
  SLUICE_TOPIC: topicName
  SLUICE_SUBSCRIPTION: subscriptionName
  SLUICE_TASK_HUB: taskHub
  // What all instances can run at a time, four activities each (host.json); a wave has no more tasks.
  SLUICE_CAPACITY: string(min(maximumInstanceCount * 4, 1000))
  // Buffers come and go with every chunk: a young generation of 3 x 8 MiB instead of 3 x 16 keeps an instance some 60 MB smaller.
  NODE_OPTIONS: '--max-semi-space-size=8'
  SLUICE_SWEEP_SCHEDULE: sweepSchedule
  // A quarter of the instance for each worker thread, one thread per core: the rest is for the host and the main thread.
  SLUICE_THREAD_MEMORY_MB: string(memory / 4)
}

var inboxSettings = empty(inboxSchedule) ? {} : { SLUICE_INBOX_SCHEDULE: inboxSchedule, SLUICE_URL_HOSTS: urlHosts }

// These override host.json, so that one package serves both backends.
var schedulerSettings = empty(schedulerName)
  ? {}
  : {
      AzureFunctionsJobHost__extensions__durableTask__storageProvider__type: 'azureManaged'
      AzureFunctionsJobHost__extensions__durableTask__storageProvider__connectionStringName: 'DURABLE_TASK_SCHEDULER_CONNECTION_STRING'
      DURABLE_TASK_SCHEDULER_CONNECTION_STRING: 'Endpoint=${scheduler!.properties.endpoint};Authentication=ManagedIdentity;ClientID=${identityClientId}'
    }

var appSettings = union(baseSettings, inboxSettings, schedulerSettings, settings)

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
  // azd finds the app of a service by this tag; azure.yaml names its services after the pools.
  tags: union(tags, { 'azd-service-name': pool })
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identity.id}': {} }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    // On Flex Consumption all outbound traffic goes through the subnet; there is no setting for a part of it.
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    publicNetworkAccess: empty(subnetId) ? 'Enabled' : 'Disabled'
    siteConfig: {
      alwaysOn: false
      minTlsVersion: '1.2'
      appSettings: map(items(appSettings), setting => { name: setting.key, value: setting.value })
    }
    functionAppConfig: {
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
    }
  }
}

// Deployments sign in with Entra ID; publishing passwords would be a second, secret way in.
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
