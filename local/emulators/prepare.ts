/** `npm run local:prepare`: the containers and tables of an empty Azurite, which in Azure the deployment makes. */
import { TableServiceClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { CONTAINERS, TABLES } from '../../shared/contract/names.ts';

const connection = process.env.SluiceStorage || 'UseDevelopmentStorage=true';
const blobs = BlobServiceClient.fromConnectionString(connection);
const tables = TableServiceClient.fromConnectionString(connection, { allowInsecureConnection: true });
for (const name of Object.values(CONTAINERS)) await blobs.getContainerClient(name).createIfNotExists();
for (const name of Object.values(TABLES)) await tables.createTable(name);
console.log(`made: ${[...Object.values(CONTAINERS), ...Object.values(TABLES)].join(', ')}`);
