import { expect, it } from 'vitest';
import { run } from '../../world.ts';

it('discards dead letters with a reason and a key, and prints their number', async () => {
  const path = 'POST batches/b/dead-letters/discard';
  const answer = { status: 202, json: { batch: 'b', revision: 1, discarded: 2, at: '' } };

  const { asked, out, err } = await run("discard b --reason 'test orders' --items 3,1", { [path]: answer });

  expect(asked[0]?.body).toEqual({ key: 'random-id', reason: 'test orders', items: [3, 1] });
  expect(err).toBe('Idempotency key: random-id\n');
  expect(out).toBe('2 dead letters discarded, in revision 1\n');
});
