import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type BatchAnswer, report, resume, send } from '../../helpers/client.ts';
import { endOf, type UpgradeItem } from '../batches.ts';
import { buildUpgradeApp } from '../build-app.ts';
import { type End, readRecorded, recordedVersions } from '../recording/files.ts';
import { type Call, type Host, type Services, startServices } from '../stack.ts';
import { buildOldCode, type OldCode, requireCommit } from './old-code.ts';

/** A message that an ended instance had received is visible again after seconds. */
const SETTINGS = { SLUICE_VISIBILITY_SECONDS: '10', SLUICE_SLICE_SECONDS: '5' };
const ITEMS = 120;
const PATIENCE = { timeout: 120_000, interval: 1_000 };
/** Many tasks per wave, so that both instances work at a batch. */
const POLICY = { thresholds: [{ tasks: 16 }], capacity: 16, headroom: 0, targetSeconds: 0.1 };
/** Names of the instances in the calls of handlers. */
const OLD = 'host-1';
const NEW = 'host-2';

const waiting = (count: number): UpgradeItem[] => Array.from({ length: count }, (_, n) => ({ n, do: 'wait' }));
const rejecting = (count: number): UpgradeItem[] =>
  waiting(count).map((item) => (item.n % 4 === 0 ? { ...item, do: 'reject' } : item));

it('has an earlier version', () => {
  expect(recordedVersions()).not.toEqual([]);
});

it('fails without the commit of a recording', () => {
  expect(() => requireCommit('0'.repeat(40))).toThrow('git fetch --unshallow');
});

describe.each(recordedVersions())('instances of %s and of the present code side by side', (version) => {
  let folder: string;
  let services: Services;
  let old: OldCode;
  let present: string;
  let oldHost: Host;
  let newHost: Host;
  beforeAll(async () => {
    const { commit } = await readRecorded(version);
    folder = await mkdtemp(join(tmpdir(), 'sluice-upgrade-'));
    old = await buildOldCode(commit);
    present = await buildUpgradeApp('upgrade-present');
    services = await startServices(folder, { settings: SETTINGS });
    oldHost = await services.startHost(old.appFolder, 1);
    newHost = await services.startHost(present, 2);
    await putPolicy();
  });
  afterAll(async () => {
    await services?.stop();
    await old?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function putPolicy(): Promise<void> {
    const put = { method: 'PUT', body: JSON.stringify(POLICY) };
    expect((await oldHost.api('queues/rolling-normal-0/policy', put)).status).toBe(200);
    expect(await (await newHost.api('queues/rolling-normal-0/policy')).json()).toMatchObject({ policy: POLICY });
  }

  /** Which instances have run items of these batches. */
  const instancesOf = async (...ids: readonly string[]): Promise<string[]> => {
    const calls = (await services.calls()).filter(({ batch }) => ids.includes(batch));
    return [...new Set(calls.map(({ instance }) => instance))].sort();
  };

  /** Waits until the batches have ended, with the sweep that a deployment calls, and compares their ends. */
  async function expectEnds(host: Host, ends: Readonly<Record<string, End>>): Promise<void> {
    const ids = Object.keys(ends);
    const pending = async (): Promise<unknown> => {
      await host.api('sweep', { method: 'POST' });
      return Promise.all(ids.map(async (id) => (await ask(host, id))?.state));
    };
    await expect.poll(pending, PATIENCE).toEqual(ids.map((id) => ends[id]?.state));
    for (const [id, { state, succeeded, dead, count, sum }] of Object.entries(ends)) {
      const counts = { accepted: succeeded + dead, succeeded, dead, cancelled: 0, pending: 0 };
      expect((await ask(host, id)) as BatchAnswer).toMatchObject({ state, counts });
      expect(await report(host, id)).toEqual({ all: { count, sum } });
    }
  }

  /** Each item was called, and no more than once if no instance of its batch was stopped. */
  async function expectCalls(ids: readonly string[], count: number): Promise<void> {
    const calls: Call[] = await services.calls();
    for (const id of ids) {
      const numbers = calls.filter(({ batch }) => batch === id).map(({ n }) => n);
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
    }
  }

  it('process the batches that either of them has accepted, each item once', async () => {
    const items = waiting(ITEMS);
    const fromOld = await send(oldHost, 'rolling', items);
    const fromNew = await send(newHost, 'rolling', items);
    await expectEnds(newHost, { [fromOld.id]: endOf(items), [fromNew.id]: endOf(items) });
    expect(await instancesOf(fromOld.id)).toContain(NEW);
    expect(await instancesOf(fromNew.id)).toContain(OLD);
    await expectCalls([fromOld.id, fromNew.id], ITEMS);
  });

  it('finish small batches of each other', async () => {
    const items = waiting(2);
    const fromOld = await Promise.all(Array.from({ length: 8 }, () => send(oldHost, 'rolling', items)));
    const fromNew = await Promise.all(Array.from({ length: 8 }, () => send(newHost, 'rolling', items)));
    const ids = [...fromOld, ...fromNew].map(({ id }) => id);
    await expectEnds(oldHost, Object.fromEntries(ids.map((id) => [id, endOf(items)])));
    await expectCalls(ids, 2);
  });

  it('pause, resume and redrive the batches of each other', async () => {
    const items = rejecting(ITEMS);
    const fromOld = await send(oldHost, 'rolling', items);
    const fromNew = await send(newHost, 'rolling', items);
    for (const [id, one, other] of [
      [fromOld.id, newHost, oldHost],
      [fromNew.id, oldHost, newHost],
    ] as const) {
      const body = JSON.stringify({ reason: 'upgrade' });
      expect((await one.api(`batches/${id}/pause`, { method: 'POST', body })).status).toBe(200);
      expect((await resume(other, `batches/${id}`)).ok).toBe(true);
    }
    await expectEnds(oldHost, { [fromOld.id]: endOf(items), [fromNew.id]: endOf(items) });

    const redrive = (host: Host, id: string) =>
      host.api(`batches/${id}/dead-letters/redrive`, { method: 'POST', body: JSON.stringify({ patch: { do: null } }) });
    expect((await redrive(newHost, fromOld.id)).status).toBe(202);
    expect((await redrive(oldHost, fromNew.id)).status).toBe(202);
    const all = endOf(waiting(ITEMS));
    await expectEnds(newHost, { [fromOld.id]: all, [fromNew.id]: all });
  });

  it('end exactly when the old instance is stopped, as at a deployment', async () => {
    const items = waiting(ITEMS);
    const fromOld = await send(oldHost, 'rolling', items);
    const fromNew = await send(newHost, 'rolling', items);
    await expect.poll(() => instancesOf(fromOld.id, fromNew.id)).toEqual([OLD, NEW]);
    await oldHost.drain();
    await expectEnds(newHost, { [fromOld.id]: endOf(items), [fromNew.id]: endOf(items) });
  });

  it('end exactly when the new instance is stopped, as at a rollback', async () => {
    oldHost = await services.startHost(old.appFolder, 1);
    const items = waiting(ITEMS);
    const fromNew = await send(newHost, 'rolling', items);
    const fromOld = await send(oldHost, 'rolling', items);
    await expect.poll(() => instancesOf(fromOld.id, fromNew.id)).toEqual([OLD, NEW]);
    await newHost.drain();
    await expectEnds(oldHost, { [fromNew.id]: endOf(items), [fromOld.id]: endOf(items) });
  });
});
