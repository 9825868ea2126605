import { expect, it } from 'vitest';
import { run } from '../world.ts';

const entry = (detail: string) => ({
  ...{ at: '2026-11-22T14:03:12.000Z', action: 'pause-queue', target: 'q', by: 'Ada', verified: true, status: 200 },
  detail,
});

it('sluice audit prints the actions of all pages up to its limit', async () => {
  const days = { from: '2026-11-16', to: '2026-11-22' };
  const answers = {
    'GET audit?limit=3': {
      json: { ...days, entries: [entry('a'), entry('b')] },
      headers: { link: '</api/audit?after=x>; rel="next"' },
    },
    'GET audit?after=x': { json: { ...days, entries: [entry('c'), entry('d')] } },
  };

  const { out } = await run('audit --limit 3 --json', answers);

  expect(JSON.parse(out)).toEqual({ ...days, entries: ['a', 'b', 'c'].map(entry) });
});
