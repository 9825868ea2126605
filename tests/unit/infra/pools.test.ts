import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Node } from 'web-tree-sitter';
import { parse } from 'yaml';
import { mergePools, type Pool, poolNames, servicesYaml } from '../../../infra/packaging/pools.ts';
import { registry } from '../../../workloads/index.ts';
import { declaredValue, descendants, nodesOf, properties, ROOT } from './bicep.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const pools = JSON.parse(read('infra/pools.json')) as Pool[];
const pool = (name: string, memory: Pool['memory'] = 2048): Pool => ({
  name,
  memory,
  maximumInstanceCount: 40,
  alwaysReady: [],
});

describe('the pools', () => {
  it('of infra/pools.json are those that the workloads name (npm run pools)', () => {
    expect(pools.map(({ name }) => name)).toEqual(poolNames(registry));
  });

  it('of azure.yaml are the same (npm run pools)', () => {
    expect(Object.keys(parse(read('azure.yaml')).services)).toEqual(poolNames(registry));
  });

  it('keep what was decided about them, get defaults when new, and go when unused', () => {
    const known = [pool('default', 4096), pool('gone')];
    expect(mergePools(['default', 'video'], known)).toEqual([pool('default', 4096), pool('video')]);
  });

  it('become services after the pattern of the first, comments kept', () => {
    const text = 'name: a\nservices:\n  # why\n  default:\n    host: function\n  gone:\n    host: function\n';
    expect(servicesYaml(text, [pool('default'), pool('video')])).toBe(
      'name: a\nservices:\n  # why\n  default:\n    host: function\n  video:\n    host: function\n',
    );
  });
});

describe('the app of every pool', () => {
  const apps = nodesOf('infra/main.bicep', 'module_declaration').find(({ text }) => text.startsWith('module apps'));
  const params = descendants(apps ?? declaredValue('infra/main.bicep', 'pools')).find(
    ({ type, text }) => type === 'object_property' && text.startsWith('params:'),
  );
  const given = Object.fromEntries(
    properties(params?.namedChildren.at(-1) as Node).map(([name, value]) => [name, value.text]),
  );

  it.each(['inboxSchedule', 'sweepSchedule', 'urlHosts'])(
    'has the same %s: each looks after its own workloads',
    (name) => {
      expect(given[name]).toBe(name);
    },
  );
});

describe('the containers of workloads', () => {
  it('are those that the deployment makes (npm run pools)', () => {
    expect(JSON.parse(read('infra/containers.json'))).toEqual(registry.containers);
  });
});

describe('the backstop', () => {
  it('is later than the retention of every workload', () => {
    const days = Number(declaredValue('infra/main.bicep', 'backstopDays').text);
    const longest = Math.max(...registry.workloads.map(({ retentionDays }) => retentionDays));
    expect(days).toBeGreaterThan(longest);
  });
});
