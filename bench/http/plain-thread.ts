/** A thread of the plain script: makes its calls with p-map, `concurrency` of them at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import pMap from 'p-map';
import { calls, type HttpWork } from './client.ts';

const { url, client, concurrency } = workerData as HttpWork;

parentPort?.on('message', (count: number) => {
  const numbers = Array.from({ length: count }, (_, n) => n);
  void pMap(numbers, (n) => calls[client](`${url}${n}`), { concurrency }).then(() => parentPort?.postMessage('done'));
});
