import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { mergePools, type Pool, poolNames, servicesYaml } from '../../../../cli/azure/pools.ts';
import { registry } from '../../../../workloads/index.ts';
import { declaration, paramsOf, plainValue, ROOT } from '../bicep.ts';
import { appSettings, deployedResources } from '../deployed.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const pools = JSON.parse(read('infra/pools.json')) as Pool[];
const pool = (name: string, memory: Pool['memory'] = 2048): Pool => ({
  name,
  memory,
  maximumInstanceCount: 40,
  alwaysReady: [],
});

describe('the pools', () => {
  it('of infra/pools.json are those of the workloads (npm run generate)', () => {
    expect(pools.map(({ name }) => name)).toEqual(poolNames(registry));
  });

  it('of azure.yaml are those of the workloads (npm run generate)', () => {
    expect(Object.keys(parse(read('azure.yaml')).services)).toEqual(poolNames(registry));
  });

  it('are packaged once, and not concurrently by every service', () => {
    const { hooks, services } = parse(read('azure.yaml'));
    expect(hooks.prepackage.run).toBe('npm run package');
    // azd deploy does not run this hook.
    expect(hooks.predeploy.run).toMatch(/^npm run package && /);
    for (const service of Object.values<Record<string, unknown>>(services))
      expect(service).toEqual({
        project: '.',
        language: 'custom',
        host: 'function',
        dist: 'out/package',
        remoteBuild: false,
      });
  });

  it('have a language that azd refuses until it is enabled, which the guide does', () => {
    const guide = read('docs/deploy.md');
    expect(guide).toContain('\nazd config set alpha.language.custom on ');
    expect(guide.indexOf('azd config set alpha.language.custom on')).toBeLessThan(guide.indexOf('\nazd up '));
  });

  it('keep their values, have defaults if new, and are removed if unused', () => {
    const known = [pool('default', 4096), pool('gone')];
    expect(mergePools(['default', 'video'], known)).toEqual([pool('default', 4096), pool('video')]);
  });

  it('become services that differ from the first one only in their names', () => {
    const text =
      "name: a\nservices:\n    # why\n    'default':\n        # because\n        project: default\nhooks:\n  a: b\n";
    const made = servicesYaml(text, [pool('default'), pool('video')]);
    expect(made).toBe(
      "name: a\nservices:\n    # why\n    'default':\n        # because\n        project: default\n    'video':\n        project: default\nhooks:\n  a: b\n",
    );
    expect(parse(made)).toEqual({
      ...{ name: 'a', services: { default: { project: 'default' }, video: { project: 'default' } }, hooks: { a: 'b' } },
    });
  });

  it('leave azure.yaml as it is if its services are those of the pools', () => {
    const text = read('azure.yaml');
    expect(servicesYaml(text, pools)).toBe(text);
    expect(servicesYaml(text.trimEnd(), pools)).toBe(text);
  });

  it.each(['name: a\n', 'services:\n', 'services:\n  # none\nname: a\n'])('need a service to copy, in %j', (text) => {
    expect(() => servicesYaml(text, pools)).toThrow('with a service');
  });

  it('become services like the first one, and comments are kept', () => {
    const text = 'name: a\nservices:\n  # why\n  default:\n    host: function\n  gone:\n    host: function\n';
    expect(servicesYaml(text, [pool('default'), pool('video')])).toBe(
      'name: a\nservices:\n  # why\n  default:\n    host: function\n  video:\n    host: function\n',
    );
  });
});

describe('the app of every pool', () => {
  const given = Object.fromEntries(paramsOf(declaration('infra/main.bicep', 'apps')));

  it.each(['inboxSchedule', 'sweepSchedule'])('has the same %s, because each app handles its own workloads', (name) => {
    expect(given[name]).toMatchObject({ kind: 'name', name });
  });
});

describe('timers', () => {
  const schedules = (parameters: Parameters<typeof deployedResources>[0]) =>
    Object.values(appSettings(deployedResources(parameters))).map((app) => [
      app.SLUICE_SWEEP_SCHEDULE,
      app.SLUICE_INBOX_SCHEDULE,
    ]);
  const pools = ['default', 'media'].map((name) => ({ ...pool(name), alwaysReady: [] }));

  it('fire at other minutes than each other, and at other seconds in each pool', () => {
    expect(schedules({ pools })).toEqual([
      ['0 7-59/15 * * * *', '0 */10 * * * *'],
      ['10 7-59/15 * * * *', '10 */10 * * * *'],
    ]);
  });

  it('fire as given if their schedule has a second of its own, or none', () => {
    const given = { sweepSchedule: '3 */15 * * * *', inboxSchedule: '*/5 * * * *' };
    expect(schedules({ pools, ...given })).toEqual([Object.values(given), Object.values(given)]);
  });
});

describe('the containers of workloads', () => {
  it('are those that the deployment creates (npm run generate)', () => {
    expect(JSON.parse(read('infra/containers.json'))).toEqual(registry.containers);
  });
});

describe('the backstop', () => {
  it('is longer than the retention of every workload', () => {
    const days = Number(plainValue(declaration('infra/main.bicep', 'backstopDays').value));
    const longest = Math.max(...registry.workloads.map(({ retentionDays }) => retentionDays));
    expect(days).toBeGreaterThan(longest);
  });
});
