/** A real Azurite, and its content. */

import { odata, TableServiceClient } from '@azure/data-tables';
import type { ClientOptions } from 'functions-local';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import { chunkRows } from '../../../shared/batches/ledger.ts';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import { createMeter } from '../../../shared/cost/meter.ts';
import { readSettings, type Settings } from '../../../shared/settings.ts';
import { type Clients, createClients } from '../../../shared/storage/clients.ts';
import type { RetryLimits } from '../../../shared/storage/policies/retry-limits.ts';
import { queryEntities } from '../../../shared/storage/table.ts';
import { connectionsTo } from '../../helpers/fakes/connections.ts';
import { openAccount } from '../../helpers/own-account.ts';

export interface Storage {
  clients: Clients;
  settings: Settings;
  stop: () => Promise<void>;
}

export interface StorageOptions {
  /** Options of the front: an interceptor, a clock. */
  client?: ClientOptions;
  /** The app's calls. */
  limits?: RetryLimits;
}

/** Opens a separate account on Azurite, with all tables and containers. */
export async function startStorage({ client, limits }: StorageOptions = {}): Promise<Storage> {
  const { connection, stop: stopStorage } = await openAccount(client);
  const settings = readSettings(connectionsTo(connection));
  const clients = createClients(settings, createMeter(), limits);
  const tables = TableServiceClient.fromConnectionString(connection, { allowInsecureConnection: true });
  for (const name of Object.values(TABLES)) await tables.createTable(name);
  for (const name of Object.values(CONTAINERS)) await clients.container(name).create();
  const stop = async (): Promise<void> => {
    await clients.close();
    await stopStorage();
  };
  return { clients, settings, stop };
}

/** accepted = succeeded + dead + discarded + cancelled + pending, with pending summed over the rows, from `queued` on. */
export async function checkLaw(clients: Clients, row: BatchRow): Promise<void> {
  if (row.state === 'enqueueing') return;
  const count = { pending: 0, rows: 0, done: 0 };
  for await (const chunk of chunkRows(clients.batches, row.id)) {
    count.rows += 1;
    if (chunk.state === 'pending') count.pending += chunk.items;
    else count.done += 1;
  }
  const { accepted, succeeded, dead, discarded, cancelled, chunksTotal, chunksDone } = row;
  const items = accepted === succeeded + dead + discarded + cancelled + count.pending;
  if (!items || count.rows !== chunksTotal || count.done !== chunksDone)
    throw new Error(`The law is broken: ${JSON.stringify({ ...row, ...count })}`);
}

/** Lists entities by table and blobs by container, without messages, gates and the sweep's own records. */
export async function inventory(clients: Clients): Promise<string[]> {
  const found: string[] = [];
  for (const table of ['batches', 'keys'] as const) {
    for await (const { partitionKey, rowKey } of queryEntities(clients[table], odata`PartitionKey ge ${''}`)) {
      if (!rowKey.startsWith('~')) found.push(`${table} ${partitionKey} ${rowKey}`);
    }
  }
  for (const name of Object.values(CONTAINERS)) {
    for await (const blob of clients.container(name).listBlobsFlat({ includeUncommitedBlobs: true })) {
      found.push(`${name} ${blob.name}`);
    }
  }
  return found;
}
