import { describe, expect, it } from 'vitest';
import { clearLine, createStatusLine } from '../../../../cli/process/status-line.ts';

function screen(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, columns: 30, written, write: (text: string) => written.push(text) > 0 };
}

describe('a status line', () => {
  it('is redrawn in a terminal and cut to its width', () => {
    const terminal = screen(true);
    const line = createStatusLine(terminal, () => 0);
    line.show('x'.repeat(50));
    line.finish('done');
    expect(terminal.written).toEqual([`\r\u001b[2K${'x'.repeat(29)}`, '\r\u001b[2Kdone\n']);
  });

  it.each([true, false])('shows control characters as text (in a terminal: %s)', (isTTY) => {
    const terminal = screen(isTTY);
    let now = 0;
    const line = createStatusLine(terminal, () => now);
    now = 5_000;
    line.show('a\u001b[2J');
    line.print('b\u009b2J');
    line.finish('c\u0007');
    const written = terminal.written.map((text) => text.replace('\r\u001b[2K', '').trimEnd());
    expect(written).toEqual(['a\\x1b[2J', 'b\\x9b2J', 'c\\x07']);
  });

  it('is printed as a plain line every two seconds outside a terminal', () => {
    const file = screen(false);
    let now = 0;
    const line = createStatusLine(file, () => now);
    for (; now <= 5_000; now += 500) line.show(`${now}`);
    line.finish('done');
    expect(file.written).toEqual(['2000\n', '4000\n', 'done\n']);
  });

  it('is cleared before other lines only in a terminal', () => {
    expect([clearLine(screen(true)), clearLine(screen(false))]).toEqual(['\r\u001b[2K', '']);
  });
});
