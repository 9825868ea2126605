import { describe, expect, it } from 'vitest';
import { createStatusLine } from '../../../../cli/text/status-line.ts';

function screen(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, columns: 30, written, write: (text: string) => written.push(text) > 0 };
}

describe('a status line', () => {
  it('is redrawn in a terminal, and never wraps', () => {
    const terminal = screen(true);
    const line = createStatusLine(terminal, () => 0);
    line.show('x'.repeat(50));
    line.finish('done');
    expect(terminal.written).toEqual([`\r\u001b[2K${'x'.repeat(29)}`, '\r\u001b[2Kdone\n']);
  });

  it('is a plain line every two seconds elsewhere', () => {
    const file = screen(false);
    let now = 0;
    const line = createStatusLine(file, () => now);
    for (; now <= 5_000; now += 500) line.show(`${now}`);
    line.finish('done');
    expect(file.written).toEqual(['2000\n', '4000\n', 'done\n']);
  });
});
