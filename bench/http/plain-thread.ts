/** A thread of the plain script: so many calls, so many of them at a time, by p-map. */
import { parentPort, workerData } from 'node:worker_threads';
import pMap from 'p-map';
import { type ClientName, calls } from './client.ts';

/** What a thread is to do. */
export interface PlainWork {
  url: string;
  client: ClientName;
  concurrency: number;
}

const { url, client, concurrency } = workerData as PlainWork;

parentPort?.on('message', (count: number) => {
  const numbers = Array.from({ length: count }, (_, n) => n);
  void pMap(numbers, (n) => calls[client](`${url}${n}`), { concurrency }).then(() => parentPort?.postMessage('done'));
});
