/** Azurite in memory with an access log. The requests are counted from the log, so none is missed. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type RunningProcess, startAzurite } from 'functions-local';
import type { Operations } from '../../shared/contract/operations.ts';
import { operationOf, type StorageService } from '../../shared/cost/operation-of.ts';

/** A request as Azurite logs it: ... [21/Nov/2026:12:10:40 +0000] "PUT /account/queue?timeout=30 HTTP/1.1" 201 - */
const REQUEST = /\] "([A-Z]+) (\S+) HTTP\/[\d.]+" \d{3} /;
/** The log passes through a pipe and a file, so it may not contain the latest requests yet. */
const LOG_LAG_MS = 300;

/** Azurite as the bench uses it. */
export interface CountedAzurite {
  process: RunningProcess<string>;
  /** Returns the requests to the account since the last call. */
  takeRequests(): Promise<Operations>;
}

/** Starts Azurite with `start`, on free ports, with its data in memory. */
export async function startCountedAzurite(
  folder: string,
  start: (launch: () => Promise<RunningProcess<string>>) => Promise<RunningProcess<string>>,
): Promise<CountedAzurite> {
  const ports = { blob: await freePort(), queue: await freePort(), table: await freePort() };
  const logFile = join(folder, 'azurite.log');
  const process = await start(() => startAzurite({ folder: undefined, ports, logFile, logRequests: true }));
  return { process, takeRequests: requestsIn(logFile) };
}

function requestsIn(logFile: string): () => Promise<Operations> {
  let read = 0;
  return async () => {
    await sleep(LOG_LAG_MS);
    const text = await readFile(logFile, 'utf8');
    const lines = text.slice(read, text.lastIndexOf('\n') + 1).split('\n');
    read = text.lastIndexOf('\n') + 1;
    const counts: Operations = {};
    for (const line of lines) {
      const name = nameOf(line);
      if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  };
}

function nameOf(line: string): string | undefined {
  const [, method, path] = REQUEST.exec(line) ?? [];
  if (method === undefined || path === undefined) return undefined;
  const request = { method, url: `http://azurite${path}`, headers: { get: () => undefined } };
  return operationOf(serviceOf(path), request);
}

/** The log does not contain the service. The paths are distinguished by the names that the app uses. */
function serviceOf(path: string): StorageService {
  const resource = path.split('/')[2] ?? '';
  if (/^(Tables|\$batch|batches|gates|keys)\b/.test(resource)) return 'table';
  return /-(\d+|results|poison)(\/messages|\?|$)/.test(path) ? 'queue' : 'blob';
}
