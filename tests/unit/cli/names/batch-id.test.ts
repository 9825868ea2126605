import { describe, expect, it } from 'vitest';
import { isPieceOfId } from '../../../../cli/names/batch-id.ts';
import { EXIT } from '../../../../cli/process/exit-codes.ts';
import { batchView, run } from '../world.ts';

const ONE = '01a1fe1f-bab8-7ae4-96f3-25c93f470606';
const TWO = '01a1fe1f-d7d5-7182-813b-c60c95c68cd7';
const OLD = '01a1e000-0000-7000-8000-00000000beef';
const TOO_OLD = '019f0000-0000-7000-8000-00000000dead';
const days = { from: '2026-11-15', to: '2026-11-21' };
const entry = (id: string) => ({ id, workload: 'billing', state: 'completed', createdAt: '2026-11-21T12:40:54.000Z' });
/** Two pages for any search, because the app also finds the piece in labels. */
const listingFor = (piece: string) => {
  const next = `batches?search=${piece}&after=${TWO}&limit=200`;
  return {
    [`GET batches?search=${piece}&limit=200`]: {
      json: {
        batches: [entry(TWO), entry(ONE)],
        days,
        scanned: { batches: 2_000, until: '2026-11-21T12:00:00.000Z' },
      },
      headers: { link: `</api/${next}>; rel="next"` },
    },
    [`GET ${next}`]: {
      json: {
        batches: [entry(OLD), entry(TOO_OLD)],
        days: { from: '2025-01-01', to: '' },
        scanned: { batches: 2, until: null },
      },
    },
  };
};
const shown = (id: string) => ({ [`GET batches/${id}`]: { json: batchView(id, 'completed') } });

describe('the id of a batch', () => {
  it.each([
    ['01a1fe1f-b', ONE],
    ['01A1FE1F-B', ONE],
    ['606', undefined],
    ['0606', ONE],
    ['25c93f470606', ONE],
    ['8cd7', TWO],
    ['01a1e', OLD],
    ['beef', OLD],
  ])('is completed from %s if only one recent batch begins or ends with it', async (piece, id) => {
    const { code, asked, err } = await run(`watch ${piece} --json`, {
      ...listingFor(piece.toLowerCase()),
      ...shown(id ?? ''),
    });
    expect(asked.at(-1)?.path).toBe(`batches/${id ?? piece}`);
    if (id !== undefined) expect([code, err]).toEqual([EXIT.done, expect.stringContaining(`Batch ${id}\n`)]);
  });

  it('is not looked up if it is complete, in upper or lower case', async () => {
    const { asked } = await run(`watch ${ONE.toUpperCase()}`, shown(ONE));
    expect(asked.map(({ path }) => path)).toEqual([`batches/${ONE}`]);
  });

  it('lists the batches and does nothing if several match', async () => {
    const { code, err, asked } = await run('delete 01a1fe1f --yes', listingFor('01a1fe1f'));
    expect(code).toBe(EXIT.usage);
    expect(err).toContain('"01a1fe1f" is the beginning or the end of several batches:\n');
    for (const id of [ONE, TWO]) expect(err).toContain(`  ${id}  billing  completed  2026-11-21 12:40:54\n`);
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  it('is searched back to the first day of the first page, over pages without a match', async () => {
    const path = 'batches?search=beef&limit=200';
    const page = (until: string, more: string) => ({
      json: { batches: [], days, scanned: { batches: 2_000, until } },
      headers: { link: `</api/${path}${more}>; rel="next"` },
    });
    const { code, asked } = await run('watch beef', {
      [`GET ${path}`]: page('2026-11-20T00:00:00.000Z', '&after=1'),
      [`GET ${path}&after=1`]: page('2026-11-14T23:59:59.000Z', '&after=2'),
    });
    expect([code, asked.length]).toEqual([EXIT.notFound, 2]);
  });

  it('is not found if no batch matches', async () => {
    const { code, err } = await run('report dead', listingFor('dead'));
    expect([code, err]).toEqual([EXIT.notFound, expect.stringContaining('begins or ends with "dead"')]);
  });

  it.each([
    'watch',
    'batches',
    'results',
    'report',
    'dead-letters',
    'find 3',
    'open --print',
    'logs',
    'redrive',
    'cancel',
    'delete --yes',
    'pause',
    'resume',
  ])('can be abbreviated for %s', async (command) => {
    const [name, ...options] = command.split(' ');
    const { asked, err } = await run([name, '0606', ...options].join(' '), listingFor('0606'));
    expect(err).toContain(`Batch ${ONE}`);
    const paths = asked.slice(2).map(({ path }) => path.split(/[?/]/)[1]);
    expect(paths).toEqual(['open', 'logs'].includes(name ?? '') ? [] : [ONE]);
  });

  it.each(['billing-normal-0', 'face-bed-0', 'abc', 'xyz1', ONE])('does not accept %s as an abbreviation', (text) => {
    expect(isPieceOfId(text)).toBe(false);
  });
});
