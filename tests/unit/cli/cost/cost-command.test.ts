import { describe, expect, it } from 'vitest';
import { runCost, UsageError } from '../../../../cli/cost/cost-command.ts';

describe('the cost command', () => {
  it('prints the figures of the sources from the sheet of 2013', () => {
    const text = runCost(['--sheet', '2013', '--queues', '1', '--pollers', '200', '--items', '0'], '2026');

    expect(text).toContain('475,200,000');
    expect(text).toContain('475.200');
    expect(text).toContain('it pays from 1 polling thread on');
  });

  it('prints parameters, months and break-even as JSON', () => {
    const answer: unknown = JSON.parse(runCost(['--json', '--backend', 'dts', '--chunk=1000'], '2026'));

    expect(answer).toMatchObject({
      sheet: '2026',
      parameters: { backend: 'dts', chunk: 1_000, queues: 10 },
      month: { sluice: { lines: expect.any(Array) } },
      breakEven: { pollingThreads: expect.any(Number) },
      openTab: { attended: { looks: 85_200, usd: expect.any(Number) } },
    });
  });

  it('takes the sheet of the setting unless told another', () => {
    expect([runCost([], '2013'), runCost(['--sheet', '2026'], '2013')].map((text) => text.slice(0, 16))).toEqual([
      'Price sheet 2013',
      'Price sheet 2026',
    ]);
  });

  it('tells all problems of the arguments at once', () => {
    const run = () => runCost(['--queues', 'x', '--chunk', '1.5', '--idle-hours=', '--backend', 'mssql'], '2026');

    expect(run).toThrow(UsageError);
    expect(run).toThrow(/--queues.*--idle-hours.*--chunk.*--backend: expected azureStorage or dts, got "mssql"/s);
  });

  it('refuses an option it does not know', () => {
    expect(() => runCost(['--quees', '3'], '2026')).toThrow(/--quees/);
  });

  it('lists its options', () => {
    expect(runCost(['--help'], '2026')).toMatch(/--idle-hours .*default 22/);
  });
});
