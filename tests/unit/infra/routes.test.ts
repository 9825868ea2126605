import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './bicep.ts';
import { sourcesIn } from './code.ts';
import { tableBelow } from './docs-table.ts';

const ways = tableBelow('docs/security.md', 'Ways in').map(([name = '', route = '', who = '']) => ({
  name,
  route,
  who,
}));
const ANONYMOUS = 'anyone';

/** Every HTTP function of the code, with its route as the documentation writes it. */
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
  it('are all in the table of docs/security.md, with their routes', () => {
    expect(registered.length).toBeGreaterThan(0);
    const known = ways.map(({ name, route }) => `${name}: ${route}`);
    expect(registered.map(({ name, route }) => `${name}: ${route}`).filter((line) => !known.includes(line))).toEqual(
      [],
    );
  });

  it('ask for a key, but for those that anyone may call', () => {
    const wrong = registered.filter(({ name, level }) => {
      const anonymous = ways.find((way) => way.name === name)?.who === ANONYMOUS;
      return level !== (anonymous ? 'anonymous' : 'function');
    });
    expect(wrong).toEqual([]);
  });
});

describe('infra/keys.sh', () => {
  const script = readFileSync(join(ROOT, 'infra/keys.sh'), 'utf8');

  it.each(['client', 'operator'])('gives a %s the functions of its class and no other', (who) => {
    const listed = new RegExp(`^${who}\\) functions='([^']*)'`, 'm').exec(script)?.[1]?.split(' ');
    expect(listed).toEqual(ways.filter((way) => way.who === who).map(({ name }) => name));
  });

  it('gives a person at the dashboard both', () => {
    const listed = /^both\) functions='([^']*)'/m.exec(script)?.[1]?.split(' ');
    expect(listed).toEqual(ways.filter(({ who }) => who !== ANONYMOUS).map(({ name }) => name));
  });
});
