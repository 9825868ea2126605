/** Compares every attempted write of a batch row with the halt rule of its workload. */
import type { StorageCall } from 'functions-local';
import { BATCH_ROW_KEY, type BatchRow, fromBatchEntity } from '../../../../shared/batches/batch-row.ts';
import { HALT, isHalting } from '../../app/items.ts';

export interface HaltVerdict {
  /** How often the rule paused the batch. */
  halted: number;
  wrong: string[];
}

export interface Halts {
  /** Finds the batch row in what a storage call writes, even if the write fails later. */
  note(call: StorageCall): Promise<void>;
  of(batch: string): HaltVerdict;
}

interface Seen {
  /** Times at which the rule paused the batch. */
  halts: Set<string>;
  wrong: Set<string>;
}

const MARK = `"RowKey":"${BATCH_ROW_KEY}"`;

export function createHalts(): Halts {
  const batches = new Map<string, Seen>();
  return {
    note: async ({ service, method, body }) => {
      if (service !== 'table' || method === 'GET') return;
      const text = (await body()).toString('utf8');
      if (!text.includes(MARK)) return;
      // A transaction is a multipart body with one entity per line.
      for (const line of text.split('\r\n').filter((part) => part.startsWith('{') && part.includes(MARK))) {
        const row = rowOf(line);
        const seen = batches.get(row.id) ?? { halts: new Set(), wrong: new Set() };
        batches.set(row.id, check(row, seen));
      }
    },
    of: (batch) => {
      const { halts, wrong } = batches.get(batch) ?? { halts: new Set(), wrong: new Set() };
      return { halted: halts.size, wrong: [...wrong] };
    },
  };
}

function rowOf(line: string): BatchRow {
  const entity = JSON.parse(line) as { PartitionKey: string };
  return fromBatchEntity({ ...entity, partitionKey: entity.PartitionKey, rowKey: BATCH_ROW_KEY, etag: '' }).row;
}

/**
 * The transaction that counts ends writes `running`, and must apply the rule to its counts. A paused batch continues to
 * count running chunks, so only the first row of each pause must be one that the rule pauses.
 */
function check(row: BatchRow, seen: Seen): Seen {
  const { state, paused } = row;
  if (state === 'running' && mustHalt(row)) seen.wrong.add(`continues, and should have halted: ${describeRow(row)}`);
  if (state !== 'paused' || paused?.by !== 'halt' || seen.halts.has(paused.at)) return seen;
  seen.halts.add(paused.at);
  if (!mustHalt(row)) seen.wrong.add(`halted without need: ${describeRow(row)}`);
  return seen;
}

/** The rule, implemented independently of the app. */
function mustHalt({ workload, succeeded, dead, haltFrom, chunksDone, chunksTotal }: BatchRow): boolean {
  const died = dead - (haltFrom?.dead ?? 0);
  const ended = succeeded - (haltFrom?.succeeded ?? 0) + died;
  const isPending = chunksDone < chunksTotal;
  return isHalting(workload) && isPending && ended >= HALT.after && died / ended > HALT.deadShare;
}

const describeRow = ({ succeeded, dead, haltFrom, chunksDone, chunksTotal, paused }: BatchRow): string =>
  JSON.stringify({ succeeded, dead, haltFrom, chunksDone, chunksTotal, paused });
