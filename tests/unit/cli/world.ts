import { tmpdir } from 'node:os';
import { Readable, Writable } from 'node:stream';
import type { Io } from '../../../cli/process/io.ts';
import { runSluice } from '../../../cli/run.ts';
import type { BatchView } from '../../../shared/http/batches/schemas.ts';

/** An answer of the app: a status with JSON or text, or a connection error. */
export type Answer = { status?: number; json?: unknown; text?: string; headers?: Record<string, string> } | Error;

/** A request that the command made. */
export interface Asked {
  method: string;
  path: string;
  key: string | null;
  body: unknown;
  /** The body as text. */
  text: string | undefined;
  headers: Headers;
}

export interface Ran {
  code: number;
  out: string;
  err: string;
  asked: Asked[];
  sleptMs: number[];
  /** Pages shown in the browser. */
  opened: string[];
  /** Programs that the command ran. */
  ran: [command: string, args: readonly string[]][];
}

interface WorldOptions {
  env?: Record<string, string>;
  stdin?: string;
  folder?: string;
  /** Defaults to true. */
  hasBrowser?: boolean;
  /** Whether standard output and standard error are terminals; defaults to false. */
  isTerminal?: boolean;
  /** Defaults to that of this process. */
  nodeVersion?: string;
  /** Exit code of the programs that the command runs; by default, they are not found. */
  exitCode?: number;
}

export const KEYS = { SLUICE_URL: 'http://app.test', SLUICE_KEY: 'client-key', SLUICE_OPERATOR_KEY: 'operator-key' };

/** Runs the command against an app with these answers; the last answer of a path is repeated. */
export async function run(
  args: string | readonly string[],
  answers: Record<string, Answer | Answer[]> = {},
  options: WorldOptions = {},
): Promise<Ran> {
  const written = { out: '', err: '' };
  const asked: Asked[] = [];
  const sleptMs: number[] = [];
  const opened: string[] = [];
  const ran: [command: string, args: readonly string[]][] = [];
  let now = 0;
  const io: Io = {
    env: { ...KEYS, ...options.env },
    platform: 'linux',
    nodeVersion: options.nodeVersion ?? process.versions.node,
    folder: options.folder ?? tmpdir(),
    stdin: Readable.from([options.stdin ?? '']),
    stdout: Object.assign(
      new Writable({
        write: (piece, _encoding, done) => {
          written.out += String(piece);
          done();
        },
      }),
      { isTTY: options.isTerminal ?? false },
    ),
    stderr: {
      isTTY: options.isTerminal ?? false,
      write: (text: string | Uint8Array) => {
        written.err += String(text);
        return true;
      },
    },
    fetch: async (url, request) => {
      const question = askedOf(String(url), request);
      asked.push(question);
      return answerOf(answers, question);
    },
    openUrl: async (url) => {
      opened.push(url);
      return options.hasBrowser ?? true;
    },
    run: async (...program) => {
      ran.push(program);
      return options.exitCode;
    },
    azureToken: async (scope) => `token for ${scope}`,
    now: () => now,
    sleep: async (ms) => {
      sleptMs.push(ms);
      now += ms;
    },
    randomId: () => 'random-id',
  };
  const words = typeof args === 'string' ? (args.match(/'[^']*'|\S+/g) ?? []) : args;
  const code = await runSluice(
    words.map((word) => word.replaceAll("'", '')),
    io,
  );
  return { code, ...written, asked, sleptMs, opened, ran };
}

function askedOf(url: string, request: RequestInit | undefined): Asked {
  const headers = new Headers(request?.headers);
  const text = typeof request?.body === 'string' ? request.body : undefined;
  const body = text === undefined ? undefined : JSON.parse(text);
  const { pathname, search } = new URL(url);
  const path = `${pathname}${search}`.replace('/api/', '');
  return { method: request?.method ?? 'GET', path, key: headers.get('x-functions-key'), body, text, headers };
}

function answerOf(answers: Record<string, Answer | Answer[]>, { method, path }: Asked): Response {
  const given = answers[`${method} ${path}`];
  const answer = Array.isArray(given) ? (given.length > 1 ? given.shift() : given[0]) : given;
  if (answer instanceof Error) throw answer;
  if (answer === undefined) return new Response(`no answer to ${method} ${path}`, { status: 418 });
  const { status = 200, json, text = json === undefined ? null : JSON.stringify(json), headers = {} } = answer;
  return new Response(text, { status, headers });
}

/** Creates a connection error like that of fetch. */
export const connectionFault = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) });

/** Creates a batch as the API returns it. */
export const batchView = (id: string, state: BatchView['state'], changes: Partial<BatchView> = {}): BatchView => ({
  ...{ id, state, workload: 'billing', version: 1, lane: 'normal', pool: 'default', notes: [] },
  source: { kind: 'http', name: 'test' },
  counts: {
    accepted: 10,
    succeeded: 9,
    dead: 1,
    discarded: 0,
    cancelled: 0,
    pending: 0,
    retried: 2,
    duplicatesSeen: 0,
  },
  chunks: { total: 1, done: 1 },
  times: {
    accepted: '2026-11-01T10:00:00Z',
    opened: '2026-11-01T10:00:00Z',
    queued: null,
    started: null,
    completed: null,
    deadline: '2026-11-01T11:00:00Z',
  },
  deadline: { at: '2026-11-01T11:00:00Z', met: null },
  ...{ revision: 0, revisions: [] },
  ...{ ratePerSecond: 5, latencyMs: { p50: 10, p95: 20, max: 30 }, reportRevision: 0 },
  receipt: {
    ...{ soFar: false, handlerSeconds: 1, operations: { 'blob.put': 2 }, drainOperations: {}, hostOperations: {} },
    ...{ backend: 'azureStorage', actions: 5, executions: { count: 8, gbSeconds: 16 } },
    ...{
      storageOperations: 2,
      throttled: 0,
      sheet: '2026',
      currency: 'USD',
      byService: {},
      totalUsd: 0.00001,
      unpriced: [],
      unverified: [],
    },
    comparison: {
      messagePerItem: { operations: 30, usd: 0.0001, timesOurs: 15 },
      pollingThreadPerDay: { operations: 1, usd: 1 },
    },
  },
  links: { self: '', results: '', report: '', deadLetters: '' },
  ...changes,
});
