import type { Totals } from '../contenders/handle.ts';

/** A job queue with its workers, ready to take uploads. */
export interface Peer {
  /** Takes a zstd file of NDJSON to the totals of all items. */
  run(file: string): Promise<{ items: number; totals: Totals }>;
  /** Ends workers and connections, and removes what is left in the server. */
  close(): Promise<unknown>;
}
