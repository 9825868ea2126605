import { expect, it } from 'vitest';
import { describeBody } from '../../../../shared/http/audit/record-actions.ts';

it.each([
  [undefined, ''],
  [{ reason: 'database is down' }, 'reason: database is down'],
  [{ key: 'k', items: [17, 4711], ratePerSecond: 5 }, 'positions: 17, 4711; ratePerSecond: 5'],
  [{ items: [1, 2, 3, 4, 5, 6] }, 'positions: 6 entries'],
  [{ corrected: [{ index: 1, item: { iban: 'DE00' } }] }, 'corrected: 1 entry'],
  [{ patch: { iban: 'DE00' } }, 'patch: fields iban'],
  [{ reason: 'a\nb\u202e' }, 'reason: a b '],
  [{ reason: 'x'.repeat(1_000) }, `reason: ${'x'.repeat(292)}`],
  [{ reason: `${'x'.repeat(291)}🙂` }, `reason: ${'x'.repeat(291)}\ufffd`],
])('describes %j as %j', (body, text) => {
  expect(describeBody(body)).toBe(text);
});
