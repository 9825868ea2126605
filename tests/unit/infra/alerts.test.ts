import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseBicep, ROOT } from './bicep.ts';
import { sourcesIn } from './code.ts';
import { tableBelow } from './docs-table.ts';

interface Alert {
  event: string;
  severity: number;
  summary: string;
}
const alerts = JSON.parse(readFileSync(join(ROOT, 'infra/alerts.json'), 'utf8')) as Alert[];

describe('the alerts', () => {
  it('are those of the table in docs/operations.md', () => {
    const table = tableBelow('docs/operations.md', 'Alerts').map(([event, severity, summary]) => ({
      event,
      severity: Number(severity),
      summary,
    }));
    expect(table.filter(({ event }) => alerts.some((alert) => alert.event === event))).toEqual(alerts);
  });

  it('look for log lines that the code writes, as warnings or errors', () => {
    const code = sourcesIn('functions', 'shared')
      .map(({ text }) => text)
      .join('\n');
    // A sweep logs each of its repairs in one place, by the event that the repair names.
    const calls = code.matchAll(/\b(?:log\.(?:warn|error)\(|repaired\([^)]*event:)\s*'([^']+)'/g);
    const written = new Set([...calls].map(([, event]) => event));
    expect(alerts.map(({ event }) => event).filter((event) => !written.has(event))).toEqual([]);
  });

  it('read the line as the log writes it: one JSON object with `event`', () => {
    expect(parseBicep('infra/modules/alerts.bicep').text).toContain(
      'where tostring(parse_json(Message).event) == "$' + '{alert.event}"',
    );
    expect(parseBicep('infra/modules/alerts.bicep').text).toContain('where SeverityLevel >= 2 and Message has ');
  });
});
