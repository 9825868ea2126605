@description('A private endpoint.')
type endpointType = {
  @description('Name without prefix and suffix.')
  name: string

  @description('Resource id of the service.')
  target: string

  @description('Subresource of the service, with its name in Private Link.')
  group: 'blob' | 'queue' | 'table' | 'namespace' | 'sites'
}

@description('Suffix of all names: environment and unique token.')
param suffix string

@description('Region of the endpoints, which must be that of the virtual network.')
param location string

@description('Tags of the endpoints.')
param tags object

@description('Resource id of the subnet of the endpoints.')
param subnetId string

@description('Resource ids of the DNS zones for the addresses, by subresource.')
param zoneIds { *: string }

@description('The endpoints.')
param endpoints endpointType[]

// Deployed one by one: parallel deployments lock the storage account (StorageAccountOperationInProgress,
// Azure/bicep-registry-modules#6001) and change their subnet (ReferencedResourceNotProvisioned, Azure/bicep-ptn-aiml-landing-zone#41).
@batchSize(1)
resource privateEndpoints 'Microsoft.Network/privateEndpoints@2024-07-01' = [
  for endpoint in endpoints: {
    name: 'pep-${endpoint.name}-${suffix}'
    location: location
    tags: tags
    properties: {
      subnet: { id: subnetId }
      customNetworkInterfaceName: 'nic-${endpoint.name}-${suffix}'
      privateLinkServiceConnections: [
        {
          name: endpoint.name
          properties: { privateLinkServiceId: endpoint.target, groupIds: [endpoint.group] }
        }
      ]
    }
  }
]

// Writes the addresses of the endpoint to the zone, and removes them when the endpoint is deleted.
resource zoneGroups 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2024-07-01' = [
  for (endpoint, index) in endpoints: {
    parent: privateEndpoints[index]
    name: 'default'
    properties: {
      privateDnsZoneConfigs: [{ name: endpoint.group, properties: { privateDnsZoneId: zoneIds[endpoint.group] } }]
    }
  }
]
