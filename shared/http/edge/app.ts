import type { ReadOpenBatches } from '../../batches/watch/read-open-batches.ts';
import type { ClearDeps } from '../../commands/clear-queue.ts';
import type { DeleteDeps } from '../../commands/delete.ts';
import type { Meter } from '../../cost/meter.ts';
import type { Overhead } from '../../cost/overhead.ts';
import type { RuntimeClient } from '../../drain/limited-client.ts';
import type { GateDeps } from '../../gate/gate.ts';
import type { Depths } from '../../queues/depths.ts';
import type { Settings } from '../../settings.ts';
import type { Clients } from '../../storage/clients.ts';
import type { SweepDeps } from '../../sweep/sweep-run.ts';
import type { Registry } from '../../workload/registry.ts';
import type { ReceiptBasis } from '../batches/view/receipt-view.ts';
import type { BodyPlaces } from './request/body-places.ts';

type Deps = DeleteDeps & ClearDeps & Pick<Clients, 'meter'>;

/** For requests that only read; each handler declares which of them it uses. */
export interface Reads extends Pick<Deps, 'table' | 'container' | 'registry' | 'depthOf'>, Pick<Depths, 'recentDepth'> {
  /** The table of the gates, and service time in milliseconds. */
  gate: Pick<GateDeps, 'table' | 'now'>;
  readOpenBatches: ReadOpenBatches;
}

export type Stored = Pick<Reads, 'table' | 'container'>;

/** A built file. Its name contains a hash of its content, so the content under a name never changes. */
export interface DashboardFile {
  name: string;
  type: string;
  text: string;
  /** The text compressed with Brotli, as base64. Compressed at build time, because it is slow. */
  brotli?: string;
}

/** The output of the web build. In `page`, `{base}` is a placeholder for the folder of the files, relative to the page. */
export interface DashboardAssets {
  page: string;
  files: readonly DashboardFile[];
}

/** What handlers use of the app, created once per process: parts of the pipeline, and what only HTTP needs. */
export interface App {
  settings: Settings;
  registry: Registry;
  meter: Meter;
  overhead: Overhead;
  clients: () => Pick<Clients, 'batches' | 'gates' | 'keys' | 'container'>;
  /** For routes that wake no queue. */
  deps: () => Deps & Reads;
  /** For requests whose work wakes queues by events, or itself if the topic is unavailable. */
  requestDeps: (drains: RuntimeClient) => Deps;
  /** For requests that wake a queue themselves. */
  wakeDeps: (drains: RuntimeClient) => Deps & Reads & Pick<SweepDeps, 'gate' | 'pool'>;
  sweepDeps: (drains: RuntimeClient) => SweepDeps;
  basis: ReceiptBasis;
  /** What this process sees of its instance, and its worker threads. */
  size: { cores: number; memoryMb: number; threads: number };
  /** Shared by all routes that read the body of an upload. */
  uploadPlaces: BodyPlaces;
  /** Shared by redrives and discards. */
  redrivePlaces: BodyPlaces;
  /** Start of this process, in milliseconds since 1970. */
  startedMs: number;
  /** A clock of this process that only runs forward, in milliseconds. */
  nowMs: () => number;
  /** The built dashboard. Absent if it is not built. */
  assets: DashboardAssets | undefined;
  document: () => object;
}
