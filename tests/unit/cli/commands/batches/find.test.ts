import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import { run } from '../../world.ts';

describe('find', () => {
  const item = {
    ...{ batch: 'b', position: 7, line: 9, state: 'succeeded', item: { id: 'x' }, result: { id: 'x', net: '1.50' } },
    steps: [
      { chunk: '000000', revision: 0, end: 'retried', at: '2026-11-01T10:00:00Z', attempts: 1, error: '503' },
      { chunk: '000000.r1', revision: 0, end: 'succeeded', at: '2026-11-01T10:00:05Z', attempts: 1 },
    ],
  };
  const answers = { 'GET batches/b/items/7': { json: item } };

  it('shows the chunks of an item and its result', async () => {
    const { code, out } = await run('find b 7', answers);
    expect(code).toBe(EXIT.done);
    expect(out.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' | '))).toEqual([
      'Item 7, line 9 of the upload: succeeded',
      'Uploaded: {"id":"x"}',
      'chunk | outcome | at | failed attempts | error',
      expect.stringMatching(/^000000 \| retried \| .* \| 1 \| 503$/),
      expect.stringMatching(/^000000\.r1 \| succeeded \| .* \| 1$/),
      'Result: {"id":"x","net":"1.50"}',
      '',
    ]);
  });

  it('searches for an id page by page', async () => {
    const page = (from: number, positions: number[], headers = {}) => ({
      json: { batch: 'b', id: 'x', positions, scanned: { from, items: 5 } },
      headers,
    });
    const pages = {
      'GET batches/b/items?itemId=x': page(0, [], { link: '</api/batches/b/items?itemId=x&from=5>; rel="next"' }),
      'GET batches/b/items?itemId=x&from=5': page(5, [7]),
    };
    expect((await run('find b --id x --json', { ...answers, ...pages })).out).toBe(
      `${JSON.stringify({ batch: 'b', items: [item] })}\n`,
    );
    const none = await run('find b --id y', { 'GET batches/b/items?itemId=y': page(0, []) });
    expect([none.code, none.err]).toEqual([
      EXIT.notFound,
      expect.stringContaining('No item of batch b has the id "y"'),
    ]);
  });

  it('requires either a position or an id', async () => {
    expect((await run('find b')).code).toBe(EXIT.usage);
    expect((await run('find b 7 --id x')).code).toBe(EXIT.usage);
    expect((await run('find b x')).code).toBe(EXIT.usage);
  });
});
