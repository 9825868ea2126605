import { describe, expect, it } from 'vitest';
import { reportText, type Step, summary } from '../../../../infra/azure-checks/report.ts';

describe('the report', () => {
  const step = (id: string, result: Step['result'], evidence = 'seen'): Step => ({
    ...{ id, about: `About | ${id}`, expects: 'something', commands: [`az ${id} list`], result, evidence },
  });
  const run = { group: 'rg', app: 'func', startedAt: '2026-11-23T12:00:00.000Z', version: '0.1.0' };

  it('starts with the counts and a table, followed by commands, expectation and evidence of each check', () => {
    const text = reportText({ ...run, steps: [step('one', 'pass'), step('two', 'fail'), step('three', 'not run')] });

    expect(text.split('\n').slice(0, 9)).toEqual([
      '# Azure report',
      '',
      'Resource group rg, app func, 2026-11-23T12:00:00.000Z, Sluice 0.1.0: 1 of 3 checks passed, 1 failed, 1 were not run.',
      '',
      '| check | about | result |',
      '| --- | --- | --- |',
      '| [one](#one) | About \\| one | pass |',
      '| [two](#two) | About \\| two | **fail** |',
      '| [three](#three) | About \\| three | not run |',
    ]);
    expect(text).toContain(
      '## two\n\nAbout | two. Result: **fail**.\n\nExpected: something\n\nCommands:\n\n```text\naz two list\n```',
    );
  });

  it('escapes evidence that looks like Markdown', () => {
    const text = reportText({ ...run, steps: [step('one', 'pass', 'a\n```\n# not a heading')] });
    expect(text).toContain('````text\na\n```\n# not a heading\n````');
  });

  it('counts zero checks', () => {
    expect(summary([])).toBe('0 of 0 checks passed, 0 failed, 0 were not run');
  });
});
