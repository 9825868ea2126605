import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import { run } from '../../world.ts';

describe('batches', () => {
  const entry = (id: string) => ({
    ...{ id, workload: 'billing', lane: 'normal', state: 'running', accepted: 1_000, dead: 0, pending: 4 },
    ...{ createdAt: '2026-11-01T10:00:00.123Z', completedAt: null, links: {} },
  });
  const days = { from: '2026-10-26', to: '2026-11-01' };
  const scanned = { batches: 2, until: null };
  const next = { link: '</api/batches?after=b2&limit=3>; rel="next"' };

  it('are listed over pages, up to the limit', async () => {
    const { out, asked } = await run('batches --limit 3 --state running --workload billing', {
      'GET batches?state=running&workload=billing&limit=3': {
        ...{ json: { batches: [entry('b1'), entry('b2')], days, scanned }, headers: next },
      },
      'GET batches?after=b2&limit=3': { json: { batches: [entry('b3'), entry('b4')], days, scanned }, headers: next },
    });
    expect(asked).toHaveLength(2);
    expect(out.split('\n')).toEqual([
      '  batch  workload  lane    state    items  pending  dead  created              finished',
      '  b1     billing   normal  running  1,000        4     0  2026-11-01 10:00:00',
      '  b2     billing   normal  running  1,000        4     0  2026-11-01 10:00:00',
      '  b3     billing   normal  running  1,000        4     0  2026-11-01 10:00:00',
      '',
    ]);
  });

  it('are searched over empty pages, and the range of the search is printed', async () => {
    const path = 'batches?search=sept+2&after=b9&limit=50';
    const until = '2026-10-25T10:00:00.000Z';
    const { out, err } = await run("batches --search 'sept 2' --json", {
      'GET batches?search=sept+2&limit=50': {
        json: { batches: [], days, scanned: { batches: 2_000, until: '2026-10-26T10:00:00.000Z' } },
        headers: { link: `</api/${path}>; rel="next"` },
      },
      [`GET ${path}`]: {
        json: {
          batches: [entry('b1')],
          days: { from: '2026-10-20', to: '2026-10-26' },
          scanned: { batches: 7, until },
        },
      },
    });
    expect(JSON.parse(out)).toEqual({
      batches: [entry('b1')],
      days: { from: '2026-10-20', to: '2026-11-01' },
      scanned: { batches: 2_007, until },
    });
    expect(err).toBe('Searched 2,007 batches, back to 2026-10-25 10:00:00 UTC.\n');
  });

  it('are reported missing with the range of days', async () => {
    const { out } = await run('batches', { 'GET batches?limit=50': { json: { batches: [], days, scanned } } });
    expect(out).toBe('No batches from 2026-10-26 to 2026-11-01.\n');
  });

  it('are listed by labels', async () => {
    const { asked } = await run(['batches', '--label', 'month=2026-11', '--label', 'from=a b'], {});
    expect(asked[0]?.path).toBe('batches?label=month%3D2026-11&label=from%3Da+b&limit=50');
  });

  it('suggest a similar workload if the list is empty and the given one does not exist', async () => {
    const none = {
      'GET batches?workload=biling&limit=50': {
        json: { batches: [], days: { from: '', to: '' }, scanned: { batches: 0, until: null } },
      },
      'GET health': { json: { workloads: ['billing', 'media'] } },
    };
    const { code, err } = await run('batches --workload biling', none);
    expect([code, err]).toEqual([EXIT.usage, expect.stringContaining('Did you mean billing?')]);
  });
});
