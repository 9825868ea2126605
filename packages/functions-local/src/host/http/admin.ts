import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HostLog } from '../log/host-log.ts';
import { isRecord } from '../settings/json.ts';
import { answerEmpty, answerJson } from './answer.ts';
import { readWhole } from './body.ts';
import { type HostKeys, isAuthorized, readRequestKey } from './keys.ts';

/** Inputs of `POST /admin/functions/<name>` are small. The limit keeps a large upload out of memory. */
const INPUT_LIMIT_BYTES = 16 * 1024 * 1024;

/** Options of the admin API. */
export interface AdminOptions {
  /** Returns a function that runs a function without an HTTP trigger, or undefined if there is none with that name. */
  findRunner(name: string): ((input: string) => Promise<unknown>) | undefined;
  functionNames(): string[];
  keys?: HostKeys;
  log: HostLog;
}

/** Answers `GET /admin/host/status`, `GET /admin/functions` and `POST /admin/functions/<name>`, and 404 to anything else. */
export async function handleAdmin(
  options: AdminOptions,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const key = readRequestKey(request.headers, url.searchParams);
  if (options.keys && !isAuthorized(options.keys, { level: 'admin' }, key)) return answerEmpty(response, 401);
  const [, , area, name, ...more] = url.pathname.split('/');
  if (more.length > 0) return answerEmpty(response, 404);
  const route = `${request.method} ${area}${name === undefined ? '' : area === 'functions' ? '/*' : `/${name}`}`;
  if (route === 'GET host/status') return answerJson(response, 200, { id: 'local', state: 'Running', errors: [] });
  if (route === 'GET functions') return answerJson(response, 200, toList(options.functionNames()));
  if (route === 'POST functions/*') return runFunction(options, request, response, decodeURIComponent(name ?? ''));
  answerEmpty(response, 404);
}

function toList(names: string[]): { name: string }[] {
  return names.map((name) => ({ name }));
}

async function runFunction(
  options: AdminOptions,
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
): Promise<void> {
  const run = options.findRunner(name);
  if (!run) return answerEmpty(response, 404);
  const input = readInput((await readWhole(request, INPUT_LIMIT_BYTES)).toString('utf8'));
  if (input === undefined) return answerEmpty(response, 400);
  answerEmpty(response, 202);
  // The caller does not wait for it. The invoker logs the result.
  run(input).catch(() => undefined);
}

function readInput(text: string): string | undefined {
  try {
    const body: unknown = text.trim() === '' ? {} : JSON.parse(text);
    if (!isRecord(body)) return undefined;
    const { input } = body;
    if (input === undefined) return '';
    return typeof input === 'string' ? input : JSON.stringify(input);
  } catch {
    return undefined;
  }
}
