/** A worker thread of the plain script: handles the lines of each block, and responds to the end with its totals. */
import { parentPort } from 'node:worker_threads';
import { handleLines, type Totals } from '../handle.ts';

/** The result of a thread. */
export interface Folded {
  items: number;
  totals: Totals;
}

let folded: Folded = { items: 0, totals: new Map() };

parentPort?.on('message', (block: Uint8Array<ArrayBuffer> | 'end') => {
  if (block === 'end') {
    parentPort?.postMessage(folded);
    folded = { items: 0, totals: new Map() };
    return;
  }
  folded.items += handleLines(Buffer.from(block.buffer).toString(), folded.totals);
  parentPort?.postMessage('done');
});
