import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tableBelow } from '../docs/docs-table.ts';
import { ROOT } from './bicep.ts';
import { sourcesIn } from './code.ts';

const ways = tableBelow('docs/security.md', 'Ways in').map(([name = '', route = '', who = '']) => ({
  name,
  route,
  who,
}));
const ANONYMOUS = 'anyone';

/** The HTTP functions of the code, with their routes in the notation of the documentation. */
const registered = sourcesIn('functions').flatMap(({ text }) =>
  [...text.matchAll(/app\.http\('([^']+)', \{([\s\S]*?)\n\}\);/g)].map(([, name, body = '']) => {
    const methods = /methods: \[([^\]]*)\]/.exec(body)?.[1]?.match(/[A-Z]+/g) ?? [];
    return {
      name,
      route: `${methods.join('|')} ${/route: '([^']+)'/.exec(body)?.[1]}`,
      level: /authLevel: '([^']+)'/.exec(body)?.[1],
    };
  }),
);

describe('the HTTP functions', () => {
  it('are all listed in docs/security.md, with their routes', () => {
    expect(registered.length).toBeGreaterThan(0);
    const known = ways.map(({ name, route }) => `${name}: ${route}`);
    expect(registered.map(({ name, route }) => `${name}: ${route}`).filter((line) => !known.includes(line))).toEqual(
      [],
    );
  });

  it('require a key, except the public ones', () => {
    const wrong = registered.filter(({ name, level }) => {
      const anonymous = ways.find((way) => way.name === name)?.who === ANONYMOUS;
      return level !== (anonymous ? 'anonymous' : 'function');
    });
    expect(wrong).toEqual([]);
  });
});

describe('infra/keys.sh', () => {
  /** Returns the functions with which the script calls Azure, and its exit code. */
  function functionsOf(who: string): { functions: string[]; status: number | null } {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-keys-'));
    try {
      writeFileSync(join(folder, 'az'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
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
