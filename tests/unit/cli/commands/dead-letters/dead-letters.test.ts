import { describe, expect, it } from 'vitest';
import { run } from '../../world.ts';

const letter = { line: 2, chunk: '000000', cause: 'c', index: 1, reason: 'invalid', attempts: [], version: 1 };

describe('dead letters', () => {
  const error = { name: 'E', message: 'm' };
  const groups = {
    batch: 'b',
    count: 3,
    groups: [{ cause: 'c', reason: 'invalid', count: 3, example: { ...letter, error, item: 7 } }],
  };

  it('are shown by cause', async () => {
    const { out } = await run('dead-letters b', {
      'GET batches/b/dead-letters': { json: { ...groups, otherCauses: 0 } },
    });
    expect(out).toBe('3 dead letters of b\n\n3 x c\n  line 2, index 1, invalid: m\n  7\n');
  });

  it('are added up over all pages', async () => {
    const other = { ...groups.groups[0], cause: 'd', count: 2 };
    const head = { batch: 'b', count: 9 };
    const { out } = await run('dead-letters b', {
      'GET batches/b/dead-letters': {
        json: { ...head, scanned: 4, otherCauses: 1, groups: groups.groups },
        headers: { link: '</api/batches/b/dead-letters?from=000001>; rel="next"' },
      },
      'GET batches/b/dead-letters?from=000001': {
        json: { ...head, scanned: 5, otherCauses: 0, groups: [groups.groups[0], other] },
      },
    });
    const example = '  line 2, index 1, invalid: m\n  7';
    expect(out).toBe(`9 dead letters of b\n\n6 x c\n${example}\n\n2 x d\n${example}\n\n1 of other causes\n`);
  });

  it('cannot control the terminal or imitate other lines', async () => {
    const hostile = {
      ...{ name: 'E', message: '\u001b]0;title\u0007boom\n9 x fake', code: '\u009b2J' },
      stack: ['f\r (w.ts:1:2)'],
    };
    const example = { ...letter, error: hostile, item: 'a\u009b\u007fb\u0085' };
    const answers = {
      'GET batches/b/dead-letters': {
        json: { ...groups, groups: [{ ...groups.groups[0], cause: 'c\u001bc', example }], otherCauses: 0 },
      },
      'GET batches/b/dead-letters?format=ndjson': { text: '"\u009b"\n' },
    };
    expect((await run('dead-letters b', answers)).out).toBe(
      [
        '3 dead letters of b\n',
        '3 x c\\x1bc',
        '  line 2, index 1, invalid: \\x1b]0;title\\x07boom',
        '        9 x fake (\\x9b2J)',
        '    at f\\x0d (w.ts:1:2)',
        '  "a\\x9b\\x7fb\\x85"\n',
      ].join('\n'),
    );
    expect(JSON.parse((await run('dead-letters b --json', answers)).out).groups[0].example).toEqual(example);
    expect((await run('dead-letters b --format ndjson', answers)).out).toBe('"\u009b"\n');
  });

  it('are shown with their issues, or with their stack and causes', async () => {
    const errors = [
      {
        ...error,
        issues: [
          { path: 'a.b', message: 'one' },
          { path: '', message: 'two' },
        ],
        moreIssues: 3,
      },
      { ...error, code: 'E1', stack: ['f (w.ts:1:2)'], causes: [{ name: 'C', message: 'deep', stack: ['w.ts:9:9'] }] },
      { ...error, issues: [{ path: '', message: 'm' }] },
    ];
    const { out } = await run('dead-letters b --cause c', {
      'GET batches/b/dead-letters?cause=c&limit=1000': {
        json: { batch: 'b', cause: 'c', items: errors.map((one) => ({ ...letter, error: one })) },
      },
    });
    expect(out.trimEnd().split('\n')).toEqual([
      'line 2, index 1, invalid: m',
      '  a.b: one',
      '  two',
      '  and 3 more issues',
      'line 2, index 1, invalid: m (E1)',
      '  at f (w.ts:1:2)',
      '  caused by C: deep',
      '    at w.ts:9:9',
      'line 2, index 1, invalid: m',
    ]);
  });

  it('of a cause are shown one by one, over pages', async () => {
    const page = { batch: 'b', cause: 'c', items: [{ ...letter, error }] };
    const { out } = await run('dead-letters b --cause c', {
      'GET batches/b/dead-letters?cause=c&limit=1000': {
        ...{ json: page, headers: { link: '</api/batches/b/dead-letters?cause=c&after=1>; rel="next"' } },
      },
      'GET batches/b/dead-letters?cause=c&after=1': { json: page },
    });
    expect(out).toBe('line 2, index 1, invalid: m\n'.repeat(2));
  });

  it('of many batches are shown as a table of causes', async () => {
    const group = { cause: 'rejected: Error: no', workload: 'billing', count: 1_200, moreBatches: 3 };
    const dead = {
      ...{ from: '2026-09-18', to: '2026-09-24', count: 1_207, otherCauses: 7, scanned: 9, notScanned: 2 },
      groups: [{ ...group, batches: [{ id: 'b1', state: 'completedWithDeadLetters', createdAt: '', count: 900 }] }],
    };
    const causes = await run('dead-letters --from 2026-09-18', { 'GET dead-letters?from=2026-09-18': { json: dead } });
    expect(causes.out).toMatch(
      /dead +workload +batches +newest batch +cause\n +1,200 +billing +4 +b1 +rejected: Error: no\n/,
    );
    expect(causes.err).toContain('7 dead letters of other causes\n2 unfinished batches were not searched');
  });
});
