/** Clients that hold what they have: connections, places and time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostileInput } from '../input.ts';

const SECOND_MS = 1_000;

/** Sends `first` bytes at once, and then one per second until it is cut off. */
async function* slowAfter(first: number): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(first, ' ');
  for (;;) {
    await sleep(SECOND_MS);
    yield Buffer.from(' ');
  }
}

/** As many as an instance reads at the same time. */
const PLACES = 16;

/** Inputs that are slow rather than large. */
export const CONNECTIONS: readonly HostileInput[] = [
  {
    name: 'forty uploads of a byte per second, sixteen of them after a fast beginning',
    route: 'POST workloads/billing/batches',
    headers: { 'content-type': 'application/x-ndjson' },
    body: (copy) => slowAfter(copy < PLACES ? 200_000 : 1),
    copies: 40,
    expected: { status: 408, problem: 'upload-stalled' },
    bounds: { answerMs: 240 * SECOND_MS },
  },
];
