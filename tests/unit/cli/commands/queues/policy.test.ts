import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import { run } from '../../world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const POLICY = { thresholds: [{ tasks: 100 }], capacity: 100, headroom: 0.25, targetSeconds: 10 };
const policyView = { queue: 'q', version: 4, policy: POLICY };

describe('policy', () => {
  it('changes one value, and only if the policy has not changed since it was read', async () => {
    const { asked, code } = await run('policy q --capacity 20', {
      'GET queues/q/policy': { json: policyView },
      'PUT queues/q/policy': { status: 412, json: { title: 'It was changed', type: 'x/precondition-failed' } },
    });
    expect(asked[1]).toMatchObject({ method: 'PUT', body: { ...POLICY, capacity: 20 } });
    expect([asked[1]?.headers.get('if-match'), code]).toEqual(['"4"', EXIT.refused]);
  });

  it('clears optional values with none, and shows the present ones', async () => {
    const stored = { ...POLICY, receiveSize: 8, receiveIntervalMs: 2_000, notifyFrom: 500 };
    const { asked, out } = await run('policy q --receive-size 4 --receive-interval none --notify-from none', {
      'GET queues/q/policy': { json: { ...policyView, policy: stored } },
      'PUT queues/q/policy': { json: { ...policyView, policy: stored } },
    });
    expect(asked[1]?.body).toEqual({ ...POLICY, receiveSize: 4 });
    expect(out.split('\n').slice(-4)).toEqual([
      '  receive size      at most 8 messages',
      '  receive interval  at least 2,000 ms',
      '  notify from       500 messages in the queue',
      '',
    ]);
  });

  it('restores the previous policy, and fails if there is none', async () => {
    const previous = { ...POLICY, capacity: 7 };
    const { asked, code } = await run('policy q --undo', {
      'GET queues/q/policy': { json: { ...policyView, previous } },
      'PUT queues/q/policy': { json: { ...policyView, version: 5, policy: previous, previous: POLICY } },
    });
    expect(code).toBe(EXIT.done);
    expect(asked[1]).toMatchObject({ method: 'PUT', body: previous });
    expect(asked[1]?.headers.get('if-match')).toBe('"4"');
    const none = await run('policy q --undo', { 'GET queues/q/policy': { json: policyView } });
    expect([none.code, none.asked.length]).toEqual([EXIT.usage, 1]);
  });

  it('stores a whole policy from a file', async () => {
    await writeFile(join(folder, 'policy.json'), JSON.stringify(POLICY));
    const { asked, out } = await run(
      'policy q --put policy.json',
      { 'PUT queues/q/policy': { json: policyView } },
      { folder },
    );
    expect([asked[0]?.body, asked[0]?.headers.get('if-match')]).toEqual([POLICY, null]);
    expect(out).toContain('q, version 4');
  });
});
