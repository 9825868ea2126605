import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type CliRun, type CliWorld, runCli } from '../../helpers/cli.ts';
import { batchView } from '../../unit/cli/world.ts';

/** A complete upload that the app received. */
interface Arrived {
  url: string;
  headers: IncomingMessage['headers'];
  text: string;
}

/** An HTTP server in place of an app, with a folder of files to submit. */
export interface UploadApp {
  /** The complete uploads so far. */
  arrived: Arrived[];
  /** Number of uploads that broke off. */
  broken: number;
  /** The answers to uploads, by their text. */
  answers: Record<string, { status: number; json?: unknown }>;
  /** The states of batches by id; completed by default. */
  ends: Record<string, Parameters<typeof batchView>[1]>;
  /** Files that the server offers for download, by the path of their address. */
  offered: Record<string, string>;
  /** The addresses that were downloaded, as they were requested. */
  downloaded: string[];
  /** Returns the address of an offered file. */
  addressOf(path: string): string;
  /** Runs `sluice submit` against the app. */
  submit(args: string[], world?: Partial<CliWorld>): Promise<CliRun>;
  /** Writes files to the folder. */
  write(files: Record<string, string | Uint8Array>): Promise<void>;
}

/** Starts the app for the tests of a file; each test has a new state and folder. */
export function useUploadApp(): UploadApp {
  let folder = '';
  const server = createServer((request, response) => {
    void answer(app, request, response);
  });
  const app: UploadApp = {
    ...{ arrived: [], broken: 0, answers: {}, ends: {}, offered: {}, downloaded: [] },
    addressOf: (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    submit: (args, world = {}) => {
      const env = { SLUICE_URL: app.addressOf(''), ...world.env };
      return runCli(['submit', ...args], { folder, ...world, env });
    },
    write: async (files) => {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), content);
      }
    },
  };
  beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)));
  afterAll(() => new Promise((closed) => server.close(closed)));
  beforeEach(async () => {
    Object.assign(app, { arrived: [], broken: 0, answers: {}, ends: {}, offered: {}, downloaded: [] });
    folder = await mkdtemp(join(tmpdir(), 'sluice-submit-'));
    return () => rm(folder, { recursive: true, force: true });
  });
  return app;
}

async function answer(app: UploadApp, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = request.url ?? '';
  const send = (status: number, json?: unknown): void => {
    response.writeHead(status).end(json === undefined ? undefined : JSON.stringify(json));
  };
  if (url === '/api/health') return send(200, { workloads: ['billing'] });
  const id = /^\/api\/batches\/(.*)$/.exec(url)?.[1];
  if (id !== undefined) return send(200, batchView(id, app.ends[id] ?? 'completed'));
  if (url.startsWith('/files/')) return offer(app, url, response);
  try {
    const text = zstdDecompressSync(await buffer(request)).toString();
    const { status, json } = app.answers[text] ?? accepted(`batch-${text.trim()}`);
    app.arrived.push({ url, headers: request.headers, text });
    send(status, json);
  } catch {
    app.broken++;
  }
}

/** Sends an offered file; one whose name contains `broken` breaks off after its first half. */
function offer(app: UploadApp, url: string, response: ServerResponse): void {
  app.downloaded.push(url);
  const content = app.offered[url.split('?')[0] ?? ''];
  if (content === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-length': Buffer.byteLength(content) });
  if (!url.includes('broken')) return void response.end(content);
  response.write(content.slice(0, content.length / 2), () => response.destroy());
}

/** Returns the answer to an accepted upload. The batch is accepted now: an older one would be a repetition. */
export function accepted(id: string): { status: number; json: unknown } {
  const batch = batchView(id, 'queued');
  return { status: 202, json: { ...batch, times: { ...batch.times, accepted: new Date().toISOString() } } };
}

/** Returns the answer to a refused upload. */
export const problem = (type: string, status: number, more: object = {}) => ({
  status,
  json: { type: `https://sluice.example/problems/${type}`, title: 'Title', status, ...more },
});
