import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { keyRowOf } from '../../../shared/batches/keys.ts';
import { batchTimeMs } from '../../../shared/contract/names.ts';
import { submit } from '../../../shared/intake/submit.ts';
import type { SubmitDeps } from '../../../shared/intake/submit-request.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { serviceError } from '../../helpers/data/factories.ts';
import { memoryBlobs } from '../../helpers/fakes/memory-blobs.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { InboxWorld } from './inbox/inbox-world.ts';

const SERVICE = Date.parse('2026-01-01T00:00:00.000Z');
/** A machine whose clock is ten minutes ahead. */
const MACHINE = SERVICE + 600_000;
const workload = defineWorkload({ name: 'plain', version: 1, item: z.unknown(), map: (item) => item });

afterEach(() => {
  vi.useRealTimers();
});

test("dates the first claim of a process by the service time, not by the machine's clock", async () => {
  // Prepare: the service time is known after the first response.
  let knowsServiceTime = false;
  const keys = memoryTable();
  keys.before(async () => {
    await null;
    knowsServiceTime = true;
  });
  const deps = {
    keys: keys.table,
    container: memoryBlobs().container,
    gate: { now: () => (knowsServiceTime ? SERVICE : MACHINE) },
    meter: { knowsServiceTime: () => knowsServiceTime },
  };
  let claimed: Readonly<Record<string, unknown>> | undefined;
  async function* body(): AsyncGenerator<Uint8Array> {
    claimed = keys.row(keyRowOf('plain', 'order-7'), 'key');
    yield Buffer.from('{');
    throw new Error('the client went away');
  }
  const limits = { maxBodyBytes: 1_000, maxDecodedBytes: 1_000, maxRecordBytes: 1_000, maxItems: 10 };

  // Act
  const upload = submit(deps as unknown as SubmitDeps, {
    ...{ workload, key: 'order-7', body: body(), format: 'ndjson', encoding: 'identity', limits },
    source: { kind: 'http', name: 'test' },
  });

  // Assess
  await expect(upload).rejects.toThrow();
  expect(claimed).toMatchObject({ claimedUntil: '2026-01-01T00:01:00.000Z' });
  expect(batchTimeMs(String(claimed?.batch))).toBe(SERVICE);
});

test.each([
  ['renews the claim of a slow upload, so that another one with its key must wait', false],
  ['continues a slow upload if its claim cannot be renewed', true],
])('%s', async (_title, fails) => {
  // Prepare: the body arrives for 80 s; a claim is valid for 60 s.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const world = new InboxWorld();
  const claimOf = () => world.keys.row(keyRowOf('plain', 'order-7'), 'key')?.claimedUntil;
  const claims: unknown[] = [];
  async function* body(): AsyncGenerator<Uint8Array> {
    claims.push(claimOf());
    if (fails) world.keys.before(async () => Promise.reject(serviceError(503)));
    for (let seconds = 0; seconds < 80; seconds += 20) {
      world.wait(20_000);
      await vi.advanceTimersByTimeAsync(20_000);
    }
    world.keys.before(async () => {});
    claims.push(claimOf());
    yield Buffer.from('{}');
  }

  // Act
  const { accepted } = await withLog(SILENT_LOG, () =>
    submit(world.deps, {
      ...{ workload, key: 'order-7', body: body(), format: 'ndjson', encoding: 'identity' },
      limits: { ...world.deps.settings, maxBodyBytes: 1e6 },
      source: { kind: 'http', name: 'test' },
    }),
  );

  // Assess
  expect(accepted).toBe(1);
  expect(claims).toEqual(['2026-01-01T00:01:00.000Z', fails ? '2026-01-01T00:01:00.000Z' : '2026-01-01T00:02:20.000Z']);
});
