import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../../../cli/process/errors.ts';
import { runCost } from '../../../../../tools/cost/command/cost-command.ts';
import { runImportPrices } from '../../../../../tools/cost/command/import-prices-command.ts';

const ANSWER = fileURLToPath(new URL('../retail/saved-answer.json', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sluice-prices-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('import-prices', () => {
  it('writes a sheet that the cost command uses, in the currency of the sheet', () => {
    const out = join(folder, 'mine.json');

    const text = runImportPrices([ANSWER, '--region', 'northeurope', '--out', out], '2026-11-23');
    const cost = runCost(['--prices', out], '2026');

    expect(text).toContain(`${out}: 15 prices from the answers, in EUR`);
    expect(text).toContain('servicebus.base: 14.6 per month');
    expect(text).toMatch(/Ambiguous, not used:\n {2}blob.read: .*; in the sheet: no price/);
    expect(text).toContain('further pages');
    expect(cost).toContain('Price sheet northeurope 2026-11-23, EUR');
    expect(cost).toContain('14.600 EUR per month: fee, events');
    expect(cost).not.toContain('USD');
  });

  it('requires a region if the answers have several', () => {
    expect(() => runImportPrices([ANSWER], '2026-11-23')).toThrow(/--region: expected one of northeurope, westus/);
  });

  it('refuses missing files and files that are not answers', () => {
    const path = join(folder, 'other.json');
    writeFileSync(path, '[]');

    expect(() => runImportPrices([], '2026-11-23')).toThrow(UsageError);
    expect(() => runImportPrices([join(folder, 'none.json')], '2026-11-23')).toThrow(
      /none.json is not a readable JSON file/,
    );
    expect(() => runImportPrices([path], '2026-11-23')).toThrow(/is not a saved response/);
  });

  it('lists its options', () => {
    expect(runImportPrices(['--help'], '2026-11-23')).toMatch(/--region REGION/);
  });
});
