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

@description('Whether only private endpoints lead to the account.')
param privateOnly bool

@description('Whether the account can only be deleted after its lock was removed.')
param deleteLock bool

@description('Blob containers to make. Queues are made by the app when it first needs one.')
param containers string[]

@description('Containers to make whose blobs the backstop leaves alone: what workloads keep there is theirs to remove.')
param keptContainers string[]

@description('Tables to make.')
param tables string[]

@description('Days after which blobs that are no longer changed are removed; 0: never.')
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
    // Managed identity is the only way in: an account key would open everything, without an end, to whoever copies it.
    allowSharedKeyAccess: false
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    // Public by default: access is by identity. docs/security.md says what private endpoints add. The exception for services of
    // Azure would stay open beside them, and nothing here uses it.
    publicNetworkAccess: privateOnly ? 'Disabled' : 'Enabled'
    networkAcls: { defaultAction: privateOnly ? 'Deny' : 'Allow', bypass: privateOnly ? 'None' : 'AzureServices' }
  }
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2025-06-01' = {
  parent: account
  name: 'default'
  properties: {
    // Off on purpose: what a client system deletes has to be gone, and every outcome blob would be kept and billed twice.
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

// A backstop only: retention deletes a batch with its rows, this removes what a fault may have left behind.
// One rule for every container that holds data of batches.
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

// Holds off the deletion of the account, its containers and its tables through Azure Resource Manager; the app goes on
// deleting blobs, rows and messages.
resource lock 'Microsoft.Authorization/locks@2020-05-01' = if (deleteLock) {
  scope: account
  name: 'lock-${name}'
  properties: {
    level: 'CanNotDelete'
    notes: 'Holds data of batches or keys of client systems. Remove the lock before you remove the environment.'
  }
}
