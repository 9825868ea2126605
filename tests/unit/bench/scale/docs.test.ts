import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ScaleResults } from '../../../../bench/scale/results.ts';
import { RESULTS_FILE, withModel } from '../../../../bench/scale/run.ts';

const results = JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as ScaleResults;
const page = readFileSync(new URL('../../../../docs/performance.md', import.meta.url), 'utf8');

describe('the scaling tables of docs/performance.md', () => {
  it('has the tables that the model computes from the saved results', () => {
    expect(page).toBe(withModel(page, results));
  });

  it('changes with other results, only between its marks', () => {
    const slower = { ...results.serial, drain: { ...results.serial.drain, cpuSeconds: 1_000 } };
    const changed = withModel(page, { ...results, serial: slower });
    expect(changed).not.toBe(page);
    expect(withModel(changed, results)).toBe(page);
  });

  it('needs its marks', () => {
    expect(() => withModel('# Performance\n', results)).toThrow(/Expected <!-- computed/);
  });
});
