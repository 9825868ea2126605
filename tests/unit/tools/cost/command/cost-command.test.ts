import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../../../cli/process/errors.ts';
import { readPriceSheet } from '../../../../../shared/cost/sheet.ts';
import { runCost } from '../../../../../tools/cost/command/cost-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-cost-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the cost command', () => {
  it('prints the figures of the sources with the sheet of 2013', () => {
    const text = runCost(['--prices', '2013', '--queues', '1', '--pollers', '200', '--items', '0'], '2026');

    expect(text).toContain('475,200,000');
    expect(text).toContain('475.200');
    expect(text).toContain('pays off from 1 polling thread on');
  });

  it('prints parameters, months and break-even as JSON', () => {
    const answer: unknown = JSON.parse(runCost(['--json', '--backend', 'dts', '--chunk=1000'], '2026'));

    expect(answer).toMatchObject({
      sheet: '2026',
      parameters: { backend: 'dts', chunk: 1_000, queues: 10 },
      month: { sluice: { lines: expect.any(Array) } },
      breakEven: { pollingThreads: expect.any(Number) },
    });
  });

  it('uses the sheet of the setting unless an argument selects another', () => {
    expect([runCost([], '2013'), runCost(['--prices', '2026'], '2013')].map((text) => text.slice(0, 16))).toEqual([
      'Price sheet 2013',
      'Price sheet 2026',
    ]);
  });

  it('reports all problems of the arguments in one error', () => {
    const run = () => runCost(['--queues', 'x', '--chunk', '1.5', '--idle-hours=', '--backend', 'mssql'], '2026');

    expect(run).toThrow(UsageError);
    expect(run).toThrow(/--queues.*--idle-hours.*--chunk.*--backend: expected azureStorage or dts, got "mssql"/s);
  });

  it('refuses a deployment that infra/ does not support', () => {
    expect(() => runCost(['--private', '--backend', 'dts'], '2026')).toThrow(
      /--private: expected --backend azureStorage/,
    );
  });

  it('starts with the idle bill of the deployment, and marks amounts with unverified prices', () => {
    const text = runCost([], '2026');
    const lines = text.split('\n');

    expect(lines[3]).toBe('Deployment: 2 pools of 2,048 MB instances, backend azureStorage, public endpoints.');
    expect(lines[4]).toMatch(/^Idle bill: [\d.]+\* USD per month without any work, [\d.]+\* after free grants/);
    expect(text).toMatch(/base fee of the Standard tier +9\.810\*/);
    expect(text).toMatch(/message count of each wake subscription \(part of the fee\) +2,160,000 +0\.000$/m);
    expect(text).toMatch(/\* uses prices without a verified source: .*servicebus\.base/s);
  });

  it('prints no mark if every price is verified', () => {
    const sheet = structuredClone(readPriceSheet('2026'));
    for (const price of Object.values(sheet.prices)) price.verified = true;
    const path = join(folder, 'verified.json');
    writeFileSync(path, JSON.stringify({ ...sheet, currency: 'CHF' }));

    const text = runCost(['--prices', path], '2026');

    expect(text).not.toContain('*');
    expect(text).not.toContain('USD');
    expect(text).toContain('CHF per month without any work');
  });

  it('adds the chosen options to the idle bill', () => {
    const idle = (...args: string[]) => {
      const answer = JSON.parse(runCost(['--json', ...args], '2026')) as { idle: { totalUsd: number } };
      return answer.idle.totalUsd;
    };

    expect(idle('--pools', '3') - idle('--pools', '2')).toBeCloseTo(idle('--pools', '2') - idle('--pools', '1'), 9);
    expect(idle('--private')).toBeGreaterThan(700);
    expect(idle('--memory', '4096')).toBeGreaterThan(idle());
    expect(idle() - idle('--no-alerts')).toBeCloseTo(2.5, 9);
  });

  it('refuses an unknown option', () => {
    expect(() => runCost(['--quees', '3'], '2026')).toThrow(/--quees/);
  });

  it('lists its options', () => {
    expect(runCost(['--help'], '2026')).toMatch(/--idle-hours .*default 22/);
  });
});
