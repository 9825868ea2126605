import { expect, it } from 'vitest';
import { sourceText } from '../../../../web/batch/source-text.ts';

it.each<[string, Parameters<typeof sourceText>[0]]>([
  ['over HTTP', { source: { kind: 'http', name: 'key' } }],
  ['file march.csv', { source: { kind: 'http', name: 'key', file: 'march.csv' } }],
  ['file billing/march.csv', { source: { kind: 'inbox', name: 'billing/march.csv' } }],
  [
    'file billing/march.csv · producer erp-7',
    { source: { kind: 'inbox', name: 'billing/march.csv' }, producer: 'erp-7' },
  ],
])('the source of a batch reads %j', (text, batch) => expect(sourceText(batch)).toBe(text));
