@description('Name of the account: 3 to 24 lower-case letters and digits.')
@minLength(3)
@maxLength(24)
param name string

@description('Region of the account.')
param location string

@description('Tags of the account.')
param tags object

@description('Redundancy of the account.')
param sku string

@description('Whether the account can be reached only through private endpoints.')
param privateOnly bool

@description('Whether a lock prevents the deletion of the account.')
param deleteLock bool

@description('Blob containers. The app creates queues when it needs them.')
param containers string[]

@description('Blob containers to which the lifecycle policy does not apply: the workloads must delete the blobs that they store there.')
param keptContainers string[]

@description('Tables.')
param tables string[]

@description('Days without changes after which the lifecycle policy deletes a blob; 0: never.')
@minValue(0)
param backstopDays int

resource account 'Microsoft.Storage/storageAccounts@2025-06-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: sku }
  properties: {
    accessTier: 'Hot'
    // Only managed identities have access: an account key would give full, unlimited access to anyone who copies it.
    allowSharedKeyAccess: false
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    // Public by default, because access requires an identity. docs/security.md describes what private endpoints add. With private
    // endpoints, the exception for Azure services is closed as well, because nothing here uses it.
    publicNetworkAccess: privateOnly ? 'Disabled' : 'Enabled'
    networkAcls: { defaultAction: privateOnly ? 'Deny' : 'Allow', bypass: privateOnly ? 'None' : 'AzureServices' }
  }
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2025-06-01' = {
  parent: account
  name: 'default'
  properties: {
    // Off on purpose: data that a client system deletes must not be recoverable, and every deleted blob would continue to be billed.
    deleteRetentionPolicy: { enabled: false }
    containerDeleteRetentionPolicy: { enabled: true, days: 7 }
  }
}

resource blobContainers 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' = [
  for container in concat(containers, keptContainers): {
    parent: blobs
    name: container
    properties: { publicAccess: 'None' }
  }
]

resource tableService 'Microsoft.Storage/storageAccounts/tableServices@2025-06-01' = {
  parent: account
  name: 'default'
}

resource dataTables 'Microsoft.Storage/storageAccounts/tableServices/tables@2025-06-01' = [
  for table in tables: {
    parent: tableService
    name: table
  }
]

// Only a backstop: retention deletes a batch with its rows; this policy deletes blobs that a fault left behind. One rule for all
// containers with data of batches.
resource lifecycle 'Microsoft.Storage/storageAccounts/managementPolicies@2025-06-01' = if (backstopDays > 0) {
  parent: account
  name: 'default'
  properties: {
    policy: {
      rules: [
        {
          name: 'backstop'
          type: 'Lifecycle'
          enabled: true
          definition: {
            filters: { blobTypes: ['blockBlob'], prefixMatch: map(containers, container => '${container}/') }
            actions: { baseBlob: { delete: { daysAfterModificationGreaterThan: backstopDays } } }
          }
        }
      ]
    }
  }
  dependsOn: [blobContainers]
}

// Prevents the deletion of the account, its containers and its tables through Azure Resource Manager; the app can still delete
// blobs, rows and messages.
resource lock 'Microsoft.Authorization/locks@2020-05-01' = if (deleteLock) {
  scope: account
  name: 'lock-${name}'
  properties: {
    level: 'CanNotDelete'
    notes: 'Contains data of batches or keys of client systems. Remove the lock before you delete the environment.'
  }
}
