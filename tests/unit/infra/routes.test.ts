import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../shared/http/routes.ts';
import { tableBelow } from '../docs/docs-table.ts';
import { ROOT } from './bicep.ts';

const ways = tableBelow('docs/security.md', 'Ways in').map(([name = '', route = '', who = '']) => ({
  name,
  route,
  who,
}));
const ANONYMOUS = 'anyone';
const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name);

describe('docs/security.md', () => {
  it('lists the functions of all routes, with who may call them', () => {
    const routes = ROUTES.map(({ name, method, path, audience }) => {
      const who = audience.length === 0 ? ANONYMOUS : audience.join(', ');
      return { name, route: `${method} ${path}`, who };
    });
    expect(ways.toSorted(byName)).toEqual(routes.toSorted(byName));
  });
});

describe('infra/keys.sh', () => {
  /** Returns the functions with which the script calls Azure, and its exit code. */
  function functionsOf(who: string): { functions: string[]; status: number | null } {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-keys-'));
    try {
      const az = '#!/bin/sh\ncase "$*" in *"keys list"*) echo present ;; *) echo "$@" ;; esac\n';
      writeFileSync(join(folder, 'az'), az, { mode: 0o755 });
      const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
      const args = [join(ROOT, 'infra/keys.sh'), 'group', 'app', 'remove', who, 'acme'];
      const { stdout, status } = spawnSync('sh', args, { env, encoding: 'utf8' });
      return {
        functions: [...stdout.matchAll(/--function-name (\S+)/g)].map(([, name = '']) => name).toSorted(),
        status,
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it.each(['client', 'operator'])('sets the key of a %s only on the functions of its class', (who) => {
    const expected = ways
      .filter((way) => way.who === who)
      .map(({ name }) => name)
      .toSorted();
    expect(functionsOf(who)).toEqual({ functions: expected, status: 0 });
  });

  it('sets the key of a user of the dashboard on both classes', () => {
    const expected = ways
      .filter(({ who }) => who !== ANONYMOUS)
      .map(({ name }) => name)
      .toSorted();
    expect(functionsOf('both')).toEqual({ functions: expected, status: 0 });
  });

  it('does nothing for an unknown class', () => {
    expect(functionsOf('anyone')).toEqual({ functions: [], status: 2 });
  });
});
