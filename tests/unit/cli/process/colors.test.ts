import { describe, expect, it } from 'vitest';
import { colorFault, colorStates, hasColors } from '../../../../cli/process/colors.ts';
import { batchView, run } from '../world.ts';

const terminal = { isTTY: true };
const ESCAPE = '\u001b[';

describe('colours', () => {
  it.each([
    [{}, terminal, undefined, true],
    [{}, {}, undefined, false],
    [{ TERM: 'dumb' }, terminal, undefined, false],
    [{ NO_COLOR: '1' }, terminal, undefined, false],
    [{ NO_COLOR: '' }, terminal, undefined, true],
    [{ FORCE_COLOR: '1' }, {}, undefined, true],
    [{ FORCE_COLOR: '' }, {}, undefined, true],
    [{ FORCE_COLOR: '0' }, terminal, undefined, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, terminal, undefined, false],
    [{ FORCE_COLOR: '1' }, terminal, false, false],
    [{}, terminal, true, true],
  ])('are used with %j, %j and option %s: %s', (env, stream, option, expected) => {
    expect(hasColors(env, stream, option)).toBe(expected);
  });

  it('mark states that fill a cell or follow "State:"', () => {
    expect(colorStates('State: completed\n')).toBe('State: \u001b[32mcompleted\u001b[39m\n');
    expect(colorStates('  b1  suspect                   5\n')).toContain('\u001b[31msuspect\u001b[39m ');
    for (const text of ['completed', 'it is completed now', 'Statement: completed'])
      expect(colorStates(text)).toBe(text);
    expect(colorFault('sluice: no\n').startsWith('\u001b[1m\u001b[31msluice:')).toBe(true);
  });

  const answers = { 'GET batches/b': { json: batchView('b', 'completed') } };

  it.each([
    ['batches b', true, {}, true],
    ['batches b', false, {}, false],
    ['batches b', true, { NO_COLOR: '1' }, false],
    ['batches b --no-color', true, {}, false],
    ['batches b', false, { FORCE_COLOR: '1' }, true],
    ['batches b --json', true, {}, false],
  ])('appear in the output of %s (terminal: %s, %j): %s', async (args, isTerminal, env, expected) => {
    const { out } = await run(args, answers, { isTerminal, env });
    expect([out.includes('completed'), out.includes(ESCAPE)]).toEqual([true, expected]);
  });

  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
  ])('appear in an error (terminal: %s, %j): %s', async (isTerminal, env, expected) => {
    const { err } = await run('batches b', { 'GET batches/b': { status: 404 } }, { isTerminal, env });
    expect([err.includes('sluice:'), err.includes(ESCAPE)]).toEqual([true, expected]);
  });
});
