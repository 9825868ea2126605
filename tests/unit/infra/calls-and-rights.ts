/**
 * Every call of an SDK client in the code, the right that Azure requires for it, and the role that grants it. Rights begin
 * with `Microsoft.Storage/storageAccounts/` and `Microsoft.ServiceBus/`. Sources: "Permissions for data operations" in the
 * REST reference of the storage services, and the definitions of the built-in roles.
 */
interface CallAndRight {
  client: string;
  method: string;
  right: string;
  role: string;
}

export const CALLS_AND_RIGHTS: readonly CallAndRight[] = [
  { client: 'queue', method: 'create', right: 'queueServices/queues/write', role: 'Storage Queue Data Contributor' },
  {
    client: 'queue',
    method: 'getProperties',
    right: 'queueServices/queues/read',
    role: 'Storage Queue Data Contributor',
  },
  {
    client: 'queue',
    method: 'sendMessage',
    right: 'queueServices/queues/messages/write',
    role: 'Storage Queue Data Contributor',
  },
  {
    client: 'queue',
    method: 'receiveMessages',
    right: 'queueServices/queues/messages/process/action',
    role: 'Storage Queue Data Contributor',
  },
  {
    client: 'queue',
    method: 'peekMessages',
    right: 'queueServices/queues/messages/read',
    role: 'Storage Queue Data Contributor',
  },
  {
    client: 'queue',
    method: 'updateMessage',
    right: 'queueServices/queues/messages/write',
    role: 'Storage Queue Data Contributor',
  },
  {
    client: 'queue',
    method: 'deleteMessage',
    right: 'queueServices/queues/messages/delete',
    role: 'Storage Queue Data Contributor',
  },
  {
    client: 'queue',
    method: 'clearMessages',
    right: 'queueServices/queues/messages/delete',
    role: 'Storage Queue Data Contributor',
  },
  {
    client: 'blob',
    method: 'upload',
    right: 'blobServices/containers/blobs/write',
    role: 'Storage Blob Data Contributor',
  },
  {
    client: 'blob',
    method: 'stageBlock',
    right: 'blobServices/containers/blobs/write',
    role: 'Storage Blob Data Contributor',
  },
  {
    client: 'blob',
    method: 'commitBlockList',
    right: 'blobServices/containers/blobs/write',
    role: 'Storage Blob Data Contributor',
  },
  {
    client: 'blob',
    method: 'download',
    right: 'blobServices/containers/blobs/read',
    role: 'Storage Blob Data Contributor',
  },
  {
    client: 'blob',
    method: 'downloadToBuffer',
    right: 'blobServices/containers/blobs/read',
    role: 'Storage Blob Data Contributor',
  },
  {
    client: 'blob',
    method: 'getProperties',
    right: 'blobServices/containers/blobs/read',
    role: 'Storage Blob Data Contributor',
  },
  {
    client: 'blob',
    method: 'listBlobsFlat',
    right: 'blobServices/containers/blobs/read',
    role: 'Storage Blob Data Contributor',
  },
  {
    client: 'blob',
    method: 'deleteIfExists',
    right: 'blobServices/containers/blobs/delete',
    role: 'Storage Blob Data Contributor',
  },
  {
    client: 'blob',
    method: 'deleteBlob',
    right: 'blobServices/containers/blobs/delete',
    role: 'Storage Blob Data Contributor',
  },
  {
    client: 'blob',
    method: 'beginCopyFromURL',
    right: 'blobServices/containers/blobs/write',
    role: 'Storage Blob Data Contributor',
  },
  {
    client: 'table',
    method: 'createEntity',
    right: 'tableServices/tables/entities/write',
    role: 'Storage Table Data Contributor',
  },
  {
    client: 'table',
    method: 'getEntity',
    right: 'tableServices/tables/entities/read',
    role: 'Storage Table Data Contributor',
  },
  {
    client: 'table',
    method: 'listEntities',
    right: 'tableServices/tables/entities/read',
    role: 'Storage Table Data Contributor',
  },
  {
    client: 'table',
    method: 'updateEntity',
    right: 'tableServices/tables/entities/write',
    role: 'Storage Table Data Contributor',
  },
  {
    client: 'table',
    method: 'upsertEntity',
    right: 'tableServices/tables/entities/write',
    role: 'Storage Table Data Contributor',
  },
  {
    client: 'table',
    method: 'deleteEntity',
    right: 'tableServices/tables/entities/delete',
    role: 'Storage Table Data Contributor',
  },
  {
    client: 'table',
    method: 'submitTransaction',
    right: 'tableServices/tables/entities/write',
    role: 'Storage Table Data Contributor',
  },
  {
    client: 'topic',
    method: 'sendMessages',
    right: 'namespaces/messages/send/action',
    role: 'Azure Service Bus Data Owner',
  },
];
