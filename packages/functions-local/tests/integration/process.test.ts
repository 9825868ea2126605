import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningProcess, startProcess } from '../../src/stack/process/process.ts';
import type { OutputListener } from '../../src/stack/process/process-output.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-process-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const STAYS = 'setInterval(() => {}, 1_000);';

function start(
  code: string,
  readyTimeoutMs = 20_000,
  onOutput?: OutputListener,
  signal?: AbortSignal,
): Promise<RunningProcess<string>> {
  const script = join(folder, 'child.mjs');
  writeFileSync(script, code);
  return startProcess({
    name: 'Child',
    script,
    args: ['seven'],
    env: { COLOUR: 'red' },
    logFile: join(folder, 'logs', 'child.log'),
    readReady: (line) => /^ready (.*)/.exec(line)?.[1],
    readyTimeoutMs,
    ...(onOutput ? { onOutput } : {}),
    ...(signal ? { signal } : {}),
  });
}

describe('a child', () => {
  it('is ready when it reports so, and all of its output is in its log', async () => {
    const child = await start(
      `console.error('one'); console.log('ready', process.argv[2], process.env.COLOUR); ${STAYS}`,
    );
    const end = await child.stop();
    expect(child.ready).toBe('seven red');
    expect(end).toEqual({ code: null, signal: 'SIGTERM', expected: true });
    expect(readFileSync(join(folder, 'logs', 'child.log'), 'utf8')).toContain('one\n');
  });

  it('that ends before it is ready is reported with its last lines', async () => {
    await expect(start(`console.error('no such file'); process.exit(3)`)).rejects.toThrow(
      /^Child ended with code 3; its last lines \(all: .*child.log\):\n {2}no such file$/,
    );
  });

  it('whose output has a listener keeps its colours only there, and its end is reported without lines', async () => {
    const lines: string[] = [];
    const code = `console.log('\\u001b[31mred\\u001b[39m'); console.error('one'); process.exit(3)`;
    const started = start(code, 20_000, (line, stream) => void lines.push(`${stream} ${line}`));
    await expect(started).rejects.toThrow(/^Child ended with code 3; its output is in .*child.log$/);
    expect(lines.sort()).toEqual(['stderr one', 'stdout \u001b[31mred\u001b[39m']);
    expect(readFileSync(join(folder, 'logs', 'child.log'), 'utf8')).toContain('red\n');
    expect(readFileSync(join(folder, 'logs', 'child.log'), 'utf8')).not.toContain('\u001b');
  });

  it('that does not become ready is ended', async () => {
    await expect(start(`console.log('pid', process.pid); ${STAYS}`, 1_500)).rejects.toThrow(
      'Child was not ready after 1.5 s',
    );
    const pid = Number(/pid (\d+)/.exec(readFileSync(join(folder, 'logs', 'child.log'), 'utf8'))?.[1]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('whose start is cancelled is ended before it is ready', async () => {
    const abandon = new AbortController();
    const onOutput = () => abandon.abort(new Error('no longer wanted'));
    const started = start(`console.log('pid', process.pid); ${STAYS}`, 20_000, onOutput, abandon.signal);
    await expect(started).rejects.toThrow('no longer wanted');
    const pid = Number(/pid (\d+)/.exec(readFileSync(join(folder, 'logs', 'child.log'), 'utf8'))?.[1]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('that dies later is reported as unexpected', async () => {
    const child = await start(
      `console.log('ready'); console.log('ready now'); setTimeout(() => { throw new Error('out of luck'); }, 50);`,
    );
    const end = await child.ended;
    expect(end).toMatchObject({ code: 1, expected: false });
    expect(child.describe(end)).toContain('out of luck');
  });

  it('that ignores SIGTERM is killed', async () => {
    const child = await start(`process.on('SIGTERM', () => {}); console.log('ready now'); ${STAYS}`);
    expect(await child.stop(200)).toEqual({ code: null, signal: 'SIGKILL', expected: true });
  });

  it('that is frozen writes nothing until it is thawed, and can be stopped', async () => {
    const child = await start(`process.on('SIGTERM', () => process.exit(0)); console.log('ready now'); ${STAYS}`);
    child.freeze();
    expect(await child.stop()).toMatchObject({ code: 0, expected: true });
  });

  it('that hangs in its stop is killed when its parent stops waiting', async () => {
    const parent = await startWithGrandchild(
      `['SIGTERM', 'SIGHUP', 'SIGINT'].forEach((signal) => process.on(signal, () => {}));`,
      `process.once('SIGTERM', () => { void grandchild.stop(100_000); setTimeout(() => process.exit(1), 50); });`,
    );
    const port = Number(parent.ready);
    expect(await isOpen(port)).toBe(true);
    await parent.stop();
    await expect.poll(() => isOpen(port)).toBe(false);
  });

  it('ends when its parent is killed', async () => {
    const parent = await startWithGrandchild();
    const port = Number(parent.ready);
    expect(await isOpen(port)).toBe(true);
    await parent.kill();
    await expect.poll(() => isOpen(port)).toBe(false);
  });
});

/** A child that starts another child. It is ready with the port on which the second one listens. */
function startWithGrandchild(grandchildCode = '', parentCode = ''): Promise<RunningProcess<string>> {
  const script = join(folder, 'grandchild.mjs');
  const listen = `const server = createServer().listen(0, '127.0.0.1', () => console.log('ready', server.address().port));`;
  writeFileSync(script, `import { createServer } from 'node:net'; ${grandchildCode} ${listen}`);
  const module = new URL('../../src/stack/process/process.ts', import.meta.url).href;
  const options = { name: 'Grandchild', script, args: [], logFile: join(folder, 'logs', 'grandchild.log') };
  return start(
    `import { startProcess } from '${module}';
    const options = { ...${JSON.stringify(options)}, readReady: (line) => line.split(' ')[1] };
    const grandchild = await startProcess(options); ${parentCode} console.log('ready', grandchild.ready); ${STAYS}`,
  );
}

/** Whether a process listens on the port. Its process id would not do: a dead process keeps it until its new parent reaps it. */
function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
