import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RULE_IDS } from '../../../src/storage/rules/rule-ids.ts';

const README = new URL('../../../src/storage/README.md', import.meta.url);

test('the README has exactly one row per rule', () => {
  const [, rules = ''] = readFileSync(README, 'utf8').split('\n## Rules\n');
  const rows = [...rules.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, id]) => id);
  expect(rows.toSorted()).toEqual(RULE_IDS.toSorted());
});
