import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../cli/process/exit-codes.ts';
import { noCounts } from '../../../../shared/sweep/sweep-run.ts';
import { run } from '../world.ts';

describe('sweep and health', () => {
  it('prints what a sweep repaired, and fails if something failed', async () => {
    const sweep = (counts: object) => run('sweep', { 'POST sweep': { json: { ...noCounts(), done: [], ...counts } } });
    expect((await sweep({ open: 2 })).out).toBe('2 open batches checked; nothing to repair\n');
    const { out, code } = await sweep({ restarted: 3, failed: 1, done: ['3 drains restarted', '1 step failed'] });
    expect([out, code]).toEqual(['0 open batches checked\n  3 drains restarted\n  1 step failed\n', EXIT.failed]);
    expect((await sweep({ startFailed: 1 })).code).toBe(EXIT.failed);
  });

  it('fails if the app is not healthy', async () => {
    const checks = { table: 'ok', queue: 'failed', blob: 'ok' };
    const problems = [{ resource: 'queue billing-normal-0', problem: 'does not answer' }];
    const json = { status: 'failing', pool: null, workloads: ['billing'], checks, problems };
    const { code, out } = await run('health --deep', { 'GET health?deep=true': { status: 503, json } });
    expect([code, out]).toEqual([EXIT.failed, expect.stringContaining('queue billing-normal-0: does not answer')]);
  });
});
