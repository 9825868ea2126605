import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { stackFrames } from '../../../../shared/processing/outcome/stack-frames.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const at = (path: string): string => pathToFileURL(join(ROOT, path)).href;
const stack = (...frames: string[]): string => ['Error: boom', ...frames.map((frame) => `    at ${frame}`)].join('\n');
const frames = (...lines: string[]): string[] => stackFrames(stack(...lines), 'boom', 5);

const folder = mkdtempSync(join(tmpdir(), 'sluice-frames-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the frames of a stack', () => {
  it.each([
    ['a function', `pay (${at('workloads/payouts.ts')}:3:5)`, 'pay (workloads/payouts.ts:3:5)'],
    ['none', `${at('workloads/payouts.ts')}:3:5`, 'workloads/payouts.ts:3:5'],
    ['a path instead of a URL', `pay (${ROOT}/workloads/payouts.ts:3:5)`, 'pay (workloads/payouts.ts:3:5)'],
    ['an asynchronous one', `async pay (${at('workloads/a.ts')}:3:5)`, 'async pay (workloads/a.ts:3:5)'],
    ['an asynchronous one without a name', `async ${at('workloads/a.ts')}:3:5`, 'workloads/a.ts:3:5'],
    ['a constructor', `new Sale (${at('workloads/a.ts')}:3:5)`, 'new Sale (workloads/a.ts:3:5)'],
    ['a loader that adds a query', `pay (${at('workloads/a.ts')}?v=1:3:5)`, 'pay (workloads/a.ts:3:5)'],
  ])('contain place and function: %s', (_, frame, expected) => {
    expect(frames(frame)).toEqual([expected]);
  });

  it('are those of the app, innermost first', () => {
    const noise = [
      'node:internal/timers:5:5',
      `parse (${at('node_modules/zod/v4/core.js')}:9:9)`,
      'Array.map (<anonymous>)',
    ];
    const own = [1, 2, 3, 4, 5, 6].map((line) => `f${line} (${at('workloads/a.ts')}:${line}:1)`);
    const pipeline = [`callItem (${at('shared/processing/thread/calls/start-unit.ts')}:51:20)`];
    const shown = [1, 2, 3, 4, 5].map((line) => `f${line} (workloads/a.ts:${line}:1)`);
    expect(frames(...noise, ...own, ...pipeline)).toEqual(shown);
  });

  it('are those of packages if the app has none, and never those of Node or the pipeline', () => {
    const own = `callItem (${at('shared/processing/thread/calls/start-unit.ts')}:51:20)`;
    const inner = `send (${at('node_modules/@azure/core/node_modules/ms/i.js')}:9:9)`;
    expect(frames('processTicks (node:internal/x:1:1)', inner, own)).toEqual(['send (node_modules/ms/i.js:9:9)']);
    expect(frames('processTicks (node:internal/x:1:1)', own)).toEqual([]);
  });

  it.each(['functions', 'dist/functions'])('rank the chunks of a deployed package in %s as packages', (chunks) => {
    const sdk = `send (${at(`${chunks}/chunk-ABC.js`)}:9:9)`;
    const own = `pay (${at('workloads/a.ts')}:3:5)`;
    expect(frames(sdk, own)).toEqual(['pay (workloads/a.ts:3:5)']);
    expect(frames(sdk)).toEqual([`send (${chunks}/chunk-ABC.js:9:9)`]);
  });

  it('contain no path of the machine', () => {
    expect(frames('f (/home/someone/secret/w.js:1:2)', 'g (file:///srv/other/x.js:3:4)')).toEqual([
      'f (w.js:1:2)',
      'g (x.js:3:4)',
    ]);
    expect(frames('eval (eval at f (file:///srv/x.js:1:1), <anonymous>:1:1)', 'f (/home/a (b)/x.js:1:2)')).toEqual([]);
  });

  it('are not searched for in the message', () => {
    const message = `copied\n    at fake (${at('workloads/a.ts')}:1:1)`;
    expect(stackFrames(`Error: ${message}\n    at f (${at('workloads/b.ts')}:2:2)`, message, 5)).toEqual([
      'f (workloads/b.ts:2:2)',
    ]);
  });

  it('are limited in length', () => {
    expect(frames(`${'f'.repeat(900)} (${at('workloads/a.ts')}:1:1)`)[0]).toHaveLength(200);
    expect(frames(`${'f'.repeat(2_000)} (${at('workloads/a.ts')}:1:1)`)).toEqual([]);
    expect(stackFrames('x'.repeat(10_000_000), 'boom', 5)).toEqual([]);
  });
});

describe('a built file', () => {
  it('loses its source map together with its places, so that neither grows without limit', () => {
    const file = join(folder, 'rebuilt.js');
    const writeMap = (mappings: string): void =>
      writeFileSync(`${file}.map`, JSON.stringify({ version: 3, sources: ['../src/pay.ts'], names: [], mappings }));
    writeMap(';EAMI');
    expect(frames(`pay (${file}:2:3)`)).toEqual(['pay (pay.ts:7:5)']);
    writeMap(';EAOI');
    for (let row = 0; row < 10_000; row += 40) {
      const others = Array.from({ length: 40 }, (_, i) => `f (${at('workloads/a.ts')}:${row + i}:1)`);
      expect(stackFrames(stack(...others), 'boom', 40)).toHaveLength(40);
    }
    expect(frames(`pay (${file}:2:3)`)).toEqual(['pay (pay.ts:8:5)']);
  });

  it('is shown as its source if a source map is beside it', () => {
    const file = join(folder, 'built.js');
    // Line 2, column 3 of the built file is line 7, column 5 of the source.
    writeFileSync(
      `${file}.map`,
      JSON.stringify({ version: 3, sources: ['../src/pay.ts'], names: [], mappings: ';EAMI' }),
    );
    expect(frames(`pay (${file}:2:3)`)).toEqual(['pay (pay.ts:7:5)']);
  });

  it.each([
    ['is not JSON', '{'],
    ['has another format', '{"version":3,"sections":7}'],
    ['does not contain the place', JSON.stringify({ version: 3, sources: [], names: [], mappings: '' })],
  ])('is shown unchanged when the source map %s', (name, map) => {
    const file = join(folder, `${name.replaceAll(' ', '-')}.js`);
    writeFileSync(`${file}.map`, map);
    expect(frames(`pay (${file}:2:3)`)[0]).toMatch(/^pay \([\w-]+\.js:2:3\)$/);
  });
});
