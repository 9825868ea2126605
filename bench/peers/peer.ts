import type { Totals } from '../contenders/handle.ts';

/** A job queue with its workers, ready to accept uploads. */
export interface Peer {
  /** Processes a zstd file of NDJSON, and returns the totals of all items. */
  run(file: string): Promise<{ items: number; totals: Totals }>;
  /** Ends workers and connections, and removes remaining data from the server. */
  close(): Promise<unknown>;
}
