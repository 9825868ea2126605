// Role assignments. All pools share one identity: they run the same package and share queues, tables and containers, so separate
// identities would have the same rights. docs/security.md maps every call of the code to these roles.

@description('Name of the identity of the apps.')
param identityName string

@description('Region of the identity.')
param location string

@description('Tags of the identity.')
param tags object

@description('Account of the host: keys, leases, durable state, deployment packages.')
param hostAccountName string

@description('Account of the batches.')
param dataAccountName string

@description('Namespace of the events.')
param serviceBusName string

@description('Application Insights component.')
param componentName string

@description('Durable Task Scheduler; empty: none.')
param schedulerName string

@description('Object id of the operator; empty: none.')
param operatorPrincipalId string

@description('Type of operatorPrincipalId.')
param operatorPrincipalType string

// Built-in roles; the table in docs/security.md contains the same ids.
var role = {
  storageBlobDataOwner: 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
  storageBlobDataContributor: 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
  storageBlobDataReader: '2a2b9908-6ea1-4ae2-8e65-a410df84e7d1'
  storageQueueDataContributor: '974c5e8b-45b9-4653-ba55-5f855dd0fb88'
  storageQueueDataReader: '19e7f393-937e-4f77-808e-94535e297925'
  storageTableDataContributor: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
  storageTableDataReader: '76199698-9eea-4c19-bc75-cec21354c6b6'
  serviceBusDataOwner: '090c5cfd-751d-490a-894a-3ce6f1109419'
  serviceBusDataReceiver: '4f6d3b9b-027b-4f4c-9142-0e5a2a2247e0'
  monitoringMetricsPublisher: '3913510d-42f4-4e42-8a64-420c390055eb'
  durableTaskDataContributor: '0ad04412-c4d5-4796-b79c-f76d14c8d402'
}

var hostRoles = [
  // The host stores its function keys, leases and large durable messages in blobs that it creates, and reads the deployed package.
  role.storageBlobDataOwner
  // Durable Functions creates, reads and writes its control and work-item queues.
  role.storageQueueDataContributor
  // Durable Functions stores its history, instances and partitions in tables that it creates.
  role.storageTableDataContributor
]

var dataRoles = [
  // Payloads, outcomes, reports and inbox files are written, read by range and deleted; the deployment creates the containers.
  role.storageBlobDataContributor
  // References are written, received and deleted. A queue is created when it is first needed, which Message Processor does not allow.
  role.storageQueueDataContributor
  // Batches, gates and keys are inserted, changed by ETag and deleted.
  role.storageTableDataContributor
]

// Read access to the data that the runbook refers to, without a right to change it.
var operatorDataRoles = [role.storageBlobDataReader, role.storageQueueDataReader, role.storageTableDataReader]

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: identityName
  location: location
  tags: tags
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

resource hostAssignments 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for roleId in hostRoles: {
    scope: hostAccount
    name: guid(hostAccount.id, identity.id, roleId)
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
      principalId: identity.properties.principalId
      principalType: 'ServicePrincipal'
    }
  }
]

resource dataAssignments 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for roleId in dataRoles: {
    scope: dataAccount
    name: guid(dataAccount.id, identity.id, roleId)
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
      principalId: identity.properties.principalId
      principalType: 'ServicePrincipal'
    }
  }
]

// Owner instead of Sender and Receiver: the scale controller starts the app from zero instances by reading the message count of
// the subscription, which requires Manage. With only Listen it scales slowly, and with the scope of a subscription it was observed
// not to start the app at all. Therefore the scope is the namespace, which contains only this topic. The role also allows to send
// and receive.
resource busAssignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: serviceBus
  name: guid(serviceBus.id, identity.id, role.serviceBusDataOwner)
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role.serviceBusDataOwner)
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
  }
}

// The host and the app's exporter send telemetry with this identity, because the component does not accept an instrumentation key.
resource telemetryAssignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: component
  name: guid(component.id, identity.id, role.monitoringMetricsPublisher)
  properties: {
    roleDefinitionId: subscriptionResourceId(
      'Microsoft.Authorization/roleDefinitions',
      role.monitoringMetricsPublisher
    )
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
  }
}

// Allows to start, run, read and purge drains; only if the scheduler is the durable backend.
resource schedulerAssignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(schedulerName)) {
  scope: scheduler
  name: guid(scheduler.id, identity.id, role.durableTaskDataContributor)
  properties: {
    roleDefinitionId: subscriptionResourceId(
      'Microsoft.Authorization/roleDefinitions',
      role.durableTaskDataContributor
    )
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
  }
}

resource operatorAssignments 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for roleId in operatorDataRoles: if (!empty(operatorPrincipalId)) {
    scope: dataAccount
    name: guid(dataAccount.id, operatorPrincipalId, roleId)
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
      principalId: operatorPrincipalId
      principalType: operatorPrincipalType
    }
  }
]

// Allows to peek at dead-lettered wake events and remove them.
resource operatorBusAssignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(operatorPrincipalId)) {
  scope: serviceBus
  name: guid(serviceBus.id, operatorPrincipalId, role.serviceBusDataReceiver)
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role.serviceBusDataReceiver)
    principalId: operatorPrincipalId
    principalType: operatorPrincipalType
  }
}
