import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import { run } from '../../world.ts';

describe('items', () => {
  const item = (position: number, more: object = {}) => ({ position, state: 'succeeded', attempts: 0, ...more });
  const dead = item(7, { id: 'a.jpg', state: 'dead', attempts: 2, error: 'no image' });
  const pages = {
    'GET batches/b/items?limit=3': {
      json: { batch: 'b', items: [item(0, { id: 'x' }), item(1)] },
      headers: { link: '</api/batches/b/items?limit=3&from=2>; rel="next"' },
    },
    'GET batches/b/items?limit=3&from=2': {
      json: { batch: 'b', items: [dead, item(8)] },
      headers: { link: '</api/batches/b/items?limit=3&from=9>; rel="next"' },
    },
  };

  it('lists the states over pages up to the limit, and how to continue', async () => {
    const { code, out, err, asked } = await run('items b --limit 3', pages);
    expect(code).toBe(EXIT.done);
    expect(out.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' | '))).toEqual([
      'position | id | state | failed attempts | error',
      ...['0 | x | succeeded | 0', '1 | succeeded | 0', '7 | a.jpg | dead | 2 | no image', ''],
    ]);
    expect([err, asked.length]).toEqual(['Stopped after 3 items. To continue: --from 8\n', 2]);
  });

  it('passes the filters to the app, and shows results', async () => {
    const result = { widths: [320], bytes: 7 };
    const { out, err } = await run('items b --state succeeded --from 4 --results -o csv', {
      'GET batches/b/items?state=succeeded&from=4&results=true&limit=100': {
        json: { batch: 'b', items: [item(5, { result })] },
      },
    });
    expect([out, err]).toEqual([
      'position,id,state,attempts,error,result\r\n5,,succeeded,0,,"{""widths"":[320],""bytes"":7}"\r\n',
      '',
    ]);
    expect((await run('items b', { 'GET batches/b/items?limit=100': { json: { batch: 'b', items: [] } } })).out).toBe(
      'No items match.\n',
    );
  });
});
