import type { HttpRequest, InvocationContext } from '@azure/functions';
import functions from '@azure/functions';
import { expect, it } from 'vitest';
import { readActions } from '../../../../shared/commands/audit-log.ts';
import { Problem } from '../../../../shared/errors.ts';
import { recordActions } from '../../../../shared/http/audit/record-actions.ts';
import type { Handler } from '../../../../shared/http/edge/answers.ts';
import { ROUTES } from '../../../../shared/http/routes.ts';
import type { Table } from '../../../../shared/storage/table.ts';
import { answeringWith } from '../../../helpers/fakes/answering.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../../helpers/fakes/silent-log.ts';

const NOW = Date.parse('2026-05-05T10:00:00Z');
const PARAMS = { queue: 'q' };
const done: Handler = async () => ({ status: 202 });

const requestOf = ({ name, ...params }: Record<string, string>): HttpRequest =>
  new functions.HttpRequest({
    ...{ url: 'http://localhost/api/x', method: 'POST', params },
    query: name === undefined ? {} : { name },
  });

/** The entries of the log after a call of a function. */
async function logOf(functionName: string, handler: Handler, params: Record<string, string> = PARAMS) {
  const { table } = memoryTable();
  const { status } = await ask(table, { functionName, handler, params });
  const { actions } = await readActions(table, { from: '2026-05-05', to: '2026-05-05', limit: 10 });
  return { status, entries: actions.map(({ action, target, status: of }) => `${action} ${target} ${of}`) };
}

function ask(
  table: Table,
  { functionName, handler, params }: { functionName: string; handler: Handler; params: Record<string, string> },
) {
  const route = ROUTES.find(({ name }) => name === functionName);
  const record = recordActions({ table: () => table, now: () => NOW, isAuthenticated: false });
  const context = { ...SILENT_LOG, invocationId: 'i' } as unknown as InvocationContext;
  return answeringWith({ record }, route)(handler)(requestOf(params), context);
}

const failing =
  (error: Error): Handler =>
  () =>
    Promise.reject(error);

it.each(ROUTES.filter(({ audience: [first], method }) => first === 'operator' && method !== 'GET'))(
  '$name is recorded',
  async ({ name }) => {
    expect((await logOf(name, done)).entries).toEqual([`${name} q 202`]);
  },
);

it.each(ROUTES.filter(({ audience: [first], method }) => first !== 'operator' || method === 'GET'))(
  '$name is not an action of an operator',
  async ({ name }) => {
    expect((await logOf(name, done)).entries).toEqual([]);
  },
);

it('does not record refused requests, but failed ones, which may have had an effect', async () => {
  const refused = await logOf('pause-queue', failing(new Problem('conflict', 'It is paused.')));
  const failed = await logOf('pause-queue', failing(new Error('no')));

  expect([refused, failed]).toEqual([
    { status: 409, entries: [] },
    { status: 500, entries: ['pause-queue q 500'] },
  ]);
});

it('records the batch, and the file in the query', async () => {
  expect((await logOf('cancel-batch', done, { id: 'b' })).entries).toEqual(['cancel-batch b 202']);
  expect((await logOf('delete-inbox-file', done, { name: 'w/a.csv' })).entries).toEqual([
    'delete-inbox-file w/a.csv 202',
  ]);
});

it('an action succeeds even if the log cannot be written', async () => {
  const table = { createEntity: () => Promise.reject(new Error('full')) } as unknown as Table;

  expect((await ask(table, { functionName: 'pause-queue', handler: done, params: PARAMS })).status).toBe(202);
});
