import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from '../core.ts';
import { RequestError } from '../errors.ts';
import { type Instance, isFinished } from '../store/instances.ts';
import { type Exchange, type Reply, readFilter } from './http-exchange.ts';
import * as management from './management.ts';
import { toStatusBody } from './status-body.ts';
import { managementUrls, toUrlSource } from './urls.ts';
import { readWait, type Wait } from './wait-query.ts';

type Links = (instanceId: string) => Record<string, string>;

const defaultPageSize = 100;
const tokenHeader = 'x-ms-continuation-token';

/** Answers one management request. Throws RequestError. */
export async function route(core: Core, exchange: Exchange): Promise<Reply> {
  const { method, path } = exchange;
  const [root = '', id, operation = '', argument] = path;
  const links: Links = (instanceId) => managementUrls(toUrlSource(core.options, core.config), instanceId);
  switch (`${method} ${root.toLowerCase()} ${path.length}`) {
    case 'POST orchestrators 2':
    case 'POST orchestrators 3':
      return start(core, exchange, links);
    case 'GET instances 1':
      return list(core, exchange);
    case 'DELETE instances 1':
      return purgeMany(core, exchange);
    case 'GET instances 2':
      return status(core, exchange, links, id ?? '');
    case 'DELETE instances 2':
      return purgeOne(core, id ?? '');
    case 'POST instances 3':
      return change(core, exchange, operation, id ?? '');
    case 'POST instances 4':
      if (operation.toLowerCase() !== 'raiseevent') break;
      await management.raiseEvent(core, id ?? '', argument ?? '', {
        contentType: exchange.headers['content-type'],
        body: exchange.body,
      });
      return { status: 202 };
    default:
  }
  if (root.toLowerCase() === 'entities') throw notSupported('Durable entities');
  throw new RequestError(404, `No such operation: ${method} ${path.join('/')}`);
}

async function start(core: Core, exchange: Exchange, links: Links): Promise<Reply> {
  const [, name = '', id] = exchange.path;
  const version = exchange.query.text('version');
  const started = await management.startInstance(core, {
    ...{ name, input: exchange.body },
    ...(id === undefined ? {} : { id }),
    ...(version === undefined ? {} : { version }),
  });
  const wait = readWait(exchange.query);
  const finished = wait ? await waitFor(core, started, wait) : undefined;
  return finished ? toWaitReply(core, finished) : toCheckReply(links(started), '10');
}

async function waitFor(core: Core, id: string, { timeoutMs, intervalMs }: Wait): Promise<Instance | undefined> {
  const end = core.now() + timeoutMs;
  for (;;) {
    const instance = core.instances.get(id);
    if (!instance || isFinished(instance)) return instance;
    const left = end - core.now();
    if (left <= 0) return undefined;
    await delay(Math.min(left, intervalMs));
  }
}

function toWaitReply(core: Core, instance: Instance): Reply {
  const flags = { showInput: true, showHistory: false, showHistoryOutput: false };
  const body = toStatusBody(core, instance, flags);
  return { status: 200, body: instance.status === 'Completed' ? body.output : body };
}

function toCheckReply(urls: Record<string, string>, retryAfter: string): Reply {
  const headers = { location: urls.statusQueryGetUri ?? '', 'retry-after': retryAfter };
  return { status: 202, headers, body: urls };
}

function status(core: Core, exchange: Exchange, links: Links, id: string): Reply {
  const { query } = exchange;
  const instance = management.requireInstance(core, id);
  const flags = {
    showInput: query.flag('showInput', true),
    showHistory: query.flag('showHistory', false),
    showHistoryOutput: query.flag('showHistoryOutput', false),
  };
  const body = toStatusBody(core, instance, flags);
  if (!isFinished(instance)) return { ...toCheckReply(links(id), '5'), body };
  const asError = instance.status === 'Failed' && query.flag('returnInternalServerErrorOnFailure', false);
  return { status: asError ? 500 : 200, body };
}

function list(core: Core, exchange: Exchange): Reply {
  const { query, headers } = exchange;
  const limit = query.number('top') ?? defaultPageSize;
  const token = headers[tokenHeader];
  const after = typeof token === 'string' ? Buffer.from(token, 'base64url').toString('utf8') : '';
  const page = core.instances.list({ ...readFilter(query), after, limit: limit + 1 });
  const flags = { showInput: query.flag('showInput', true), showHistory: false, showHistoryOutput: false };
  const shown = page.slice(0, limit);
  const last = shown.at(-1);
  const next = page.length > limit && last ? Buffer.from(last.id, 'utf8').toString('base64url') : undefined;
  return {
    status: 200,
    ...(next ? { headers: { [tokenHeader]: next } } : {}),
    body: shown.map((instance) => toStatusBody(core, instance, flags)),
  };
}

async function purgeOne(core: Core, id: string): Promise<Reply> {
  return toPurgeReply(await management.purgeInstance(core, id));
}

async function purgeMany(core: Core, exchange: Exchange): Promise<Reply> {
  const filter = readFilter(exchange.query);
  if (filter.createdFrom === undefined) throw new RequestError(400, 'Please provide a value for createdTimeFrom');
  return toPurgeReply(await management.purgeInstances(core, filter));
}

function toPurgeReply(instancesDeleted: number): Reply {
  return instancesDeleted === 0 ? { status: 404 } : { status: 200, body: { instancesDeleted } };
}

async function change(core: Core, exchange: Exchange, operation: string, id: string): Promise<Reply> {
  const reason = exchange.query.text('reason') ?? '';
  switch (operation.toLowerCase()) {
    case 'terminate':
      await management.terminate(core, id, reason);
      return { status: 202 };
    case 'suspend':
      await management.suspend(core, id, reason);
      return { status: 202 };
    case 'resume':
      await management.resume(core, id, reason);
      return { status: 202 };
    case 'rewind':
    case 'restart':
      throw notSupported(operation.toLowerCase());
    default:
      throw new RequestError(404, `No such operation: ${operation}`);
  }
}

function notSupported(what: string): RequestError {
  return new RequestError(501, `${what}: not supported by the local durable backend`, 'System.NotImplementedException');
}
