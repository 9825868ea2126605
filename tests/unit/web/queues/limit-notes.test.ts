import { expect, it } from 'vitest';
import { formatClock } from '../../../../web/format.ts';
import { limitNotes } from '../../../../web/queues/limit-notes.ts';

const none = { rateLimit: null, maxConcurrency: null, lowered: null, heldUntil: null, holders: 0, waiting: null };
const since = '2026-11-22T14:03:00.000Z';
const until = '2026-11-22T14:03:30.000Z';

it.each<[string[], Parameters<typeof limitNotes>[0]]>([
  [['rate limit 200 calls/60\u00a0s'], { ...none, rateLimit: { calls: 200, perSeconds: 60 } }],
  [
    ['rate limit 1 item/1\u00a0s', `throttled: lowered to 50 % since ${formatClock(since)}`, 'shared by 2 processes'],
    { ...none, rateLimit: { items: 1, perSeconds: 1 }, lowered: { factor: 0.5, since }, holders: 2 },
  ],
  [
    ['rate limit 1 item/1\u00a0s', `throttled: lowered to 5.0 %, nothing starts until ${formatClock(until)}`],
    { ...none, rateLimit: { items: 1, perSeconds: 1 }, lowered: { factor: 0.05, since }, heldUntil: until },
  ],
  [
    [`waits for a share since ${formatClock(since)}`, 'at most 1,000 items in flight', 'shared by 1 process'],
    { ...none, maxConcurrency: 1_000, holders: 1, waiting: { since, until } },
  ],
])('the notes of a queue with limits are %j', (notes, limits) => expect(limitNotes(limits)).toEqual(notes));
