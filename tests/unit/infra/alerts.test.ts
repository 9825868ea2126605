import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeployedResource } from 'bicep-check';
import { describe, expect, it } from 'vitest';
import { tableBelow } from '../docs/docs-table.ts';
import { ROOT } from './bicep.ts';
import { sourcesIn } from './code.ts';
import { deployedResources, ofType } from './deployed.ts';

interface Alert {
  event: string;
  severity: number;
  summary: string;
}
const alerts = JSON.parse(readFileSync(join(ROOT, 'infra/alerts.json'), 'utf8')) as Alert[];

const OTHERS = '/subscriptions/a/resourceGroups/b/providers/Microsoft.Insights/actionGroups/ag-others';

const metricRulesOf = (resources: DeployedResource[]): DeployedResource[] =>
  ofType(resources, 'Microsoft.Insights/metricAlerts');
const logRulesOf = (resources: DeployedResource[]): DeployedResource[] =>
  ofType(resources, 'Microsoft.Insights/scheduledQueryRules');
const rulesOf = (resources: DeployedResource[]): DeployedResource[] => [
  ...logRulesOf(resources),
  ...metricRulesOf(resources),
];

const rules = rulesOf(deployedResources());
const metricRules = metricRulesOf(rules);
const logRules = logRulesOf(rules).map(({ name, properties }) => {
  const { allOf } = properties.criteria as unknown as { allOf: { query: string; dimensions?: object[] }[] };
  return { name, severity: properties.severity, query: allOf[0]?.query ?? '', dimensions: allOf[0]?.dimensions };
});

describe('the alerts', () => {
  it('are those of docs/operations.md', () => {
    const table = tableBelow('docs/operations.md', 'Alerts').map(([event, severity, summary]) => ({
      event,
      severity: Number(severity),
      summary,
    }));
    expect(table.filter(({ event }) => alerts.some((alert) => alert.event === event))).toEqual(alerts);
  });

  it('match log lines that the code writes as warnings or errors', () => {
    const code = sourcesIn('functions', 'shared')
      .map(({ text }) => text)
      .join('\n');
    // The sweep logs all repairs in one place, with the event of the repair.
    const calls = code.matchAll(/\b(?:log\.(?:warn|error)\(|repaired\([^)]*event:)\s*'([^']+)'/g);
    const written = new Set([...calls].map(([, event]) => event));
    expect(alerts.map(({ event }) => event).filter((event) => !written.has(event))).toEqual([]);
  });

  it('belong to one rule each, that of their severity', () => {
    for (const { event, severity } of alerts) {
      const rules = logRules.filter(({ query }) => query.includes(`"${event}"`));
      expect(rules.map((rule) => rule.severity)).toEqual([severity]);
    }
  });

  it('parse the format of the log: one JSON object with `event`, which identifies the alert', () => {
    for (const { query, dimensions } of logRules.filter(({ name }) => name.startsWith('sluice-events-'))) {
      expect(query).toContain('where SeverityLevel >= 2 and Message has_any ("');
      expect(query).toContain('| extend event = tostring(parse_json(Message).event) | where event in ("');
      expect(dimensions).toEqual([{ name: 'event', operator: 'Include', values: ['*'] }]);
    }
  });
});

describe('the alert rules', () => {
  it('have the number per kind that docs/cost.md uses for their price', () => {
    const table = tableBelow('docs/cost.md', 'Alert rules');
    const documented = (kind: string): number =>
      table.filter((row) => row[1] === kind).reduce((sum, row) => sum + Number(row[3]), 0);
    expect(documented('log')).toBe(logRules.length);
    expect(documented('metric')).toBe(metricRules.length);
  });

  it('contain the number of events that docs/cost.md uses', () => {
    const text = readFileSync(join(ROOT, 'docs/cost.md'), 'utf8').replaceAll(/\s+/g, ' ');
    expect(text).toContain(`for the series of ${alerts.length} events`);
    expect(text).toContain(`One rule per event would be ${alerts.length + 1} log rules`);
  });

  it('run every 15 minutes, the cheapest frequency', () => {
    const frequencies = rules.map(({ properties }) => properties.evaluationFrequency);
    expect(new Set(frequencies)).toEqual(new Set(['PT15M']));
  });

  it('monitor one time series each if they monitor a metric', () => {
    for (const { properties } of metricRules) {
      const { allOf } = properties.criteria as unknown as { allOf: object[] };
      expect(allOf).toHaveLength(1);
      expect(allOf[0]).not.toHaveProperty('dimensions');
      expect(properties.scopes).toHaveLength(1);
    }
  });

  it('are not deployed if they are switched off', () => {
    const without = deployedResources({ alertRules: false });
    expect(without.filter(({ type }) => /Rules$|metricAlerts$/.test(type))).toHaveLength(0);
  });

  it.each([
    ['nobody', {}, 0],
    ['the group that is made for an address', { alertEmail: 'operator@example.com' }, 1],
    ['groups that exist already', { actionGroupIds: [OTHERS] }, 1],
    ['both', { alertEmail: 'operator@example.com', actionGroupIds: [OTHERS] }, 2],
  ])('call %s', (_, parameters, count) => {
    const called = rulesOf(deployedResources(parameters)).map(({ properties }) =>
      Array.isArray(properties.actions)
        ? properties.actions.map((action) => (action as { actionGroupId: string }).actionGroupId)
        : (properties.actions as { actionGroups: string[] }).actionGroups,
    );
    expect(called).toHaveLength(rules.length);
    for (const groups of called) {
      expect(groups).toHaveLength(count);
      expect(groups.includes(OTHERS)).toBe('actionGroupIds' in parameters);
    }
  });
});
