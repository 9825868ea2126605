/** A thread of the limit: decompress, parse, validate, map, reduce, stringify, compress. */
import { parentPort } from 'node:worker_threads';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import billing from '../../workloads/billing.ts';
import { handle, type Totals } from './handle.ts';
import { ZSTD } from './limit-frame.ts';

function runChunk(frame: Uint8Array): Uint8Array {
  const results: string[] = [];
  const totals: Totals = new Map();
  for (const line of zstdDecompressSync(frame).toString('utf8').split('\n')) {
    if (line === '') continue;
    const result = handle(line, totals);
    if (result !== undefined) results.push(JSON.stringify(result));
  }
  // What is stored in Sluice is made here, too: the results are compressed, and then nobody takes them.
  zstdCompressSync(`${results.join('\n')}\n`, ZSTD);
  return zstdCompressSync(JSON.stringify([...totals].map(([key, value]) => ({ key, value }))), ZSTD);
}

if (!billing.map) throw new Error('Expected billing to map items one by one.');
parentPort?.on('message', (frame: Uint8Array) => parentPort?.postMessage(runChunk(frame)));
