import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { accepted, useUploadApp } from './upload-app.ts';

const app = useUploadApp();

/** A user who presses Ctrl-C; the command continues, because only a signal would end its process. */
function interruption() {
  let listener = (): void => {};
  const onInterrupt = (report: () => void) => {
    listener = report;
    return () => {
      listener = () => {};
    };
  };
  return { io: { onInterrupt, randomId: () => 'random-key' }, interrupt: () => listener() };
}

/** Interrupts the command when the app has received the whole upload, before it answers. */
function interruptAtAnswer(interrupt: () => void): void {
  Object.defineProperty(app.answers, '1', {
    get: () => {
      interrupt();
      return accepted('batch-1');
    },
  });
}

describe('a submit that is interrupted', () => {
  it('says that nothing is accepted as long as the upload is not whole', async () => {
    const { io, interrupt } = interruption();
    const stdin = Readable.from(
      (async function* () {
        yield '1';
        interrupt();
        yield '2';
      })(),
    );
    const { err } = await app.submit(['-', '--workload', 'billing'], { io: { ...io, stdin } });
    expect(err).toContain('sluice: Interrupted before the whole upload was sent. Nothing of it is accepted.\n');
    expect(err).toContain('To submit it, run the same command with --idempotency-key random-key.\n');
  });

  it('says that the upload may have been accepted once it is whole, and how to continue with the same key', async () => {
    await app.write({ 'a.ndjson': '1' });
    const { io, interrupt } = interruption();
    interruptAtAnswer(interrupt);
    const { err } = await app.submit(['a.ndjson'], { io });
    const key = /key: (\S+)/.exec(err)?.[1];
    expect(err).toContain(
      `sluice: Interrupted after the whole upload was sent, with the key ${key}. It may have been accepted.\nTo find out and to continue, run the same command: `,
    );

    const again = await app.submit(['a.ndjson', '--again'], { io });
    expect(again.err).toContain('run the same command with --idempotency-key random-key: ');
  });

  it('names the batch once it is accepted', async () => {
    await app.write({ 'a.ndjson': '1' });
    const { io, interrupt } = interruption();
    app.ends = { 'batch-1': 'running' };
    const sleep = async () => interrupt();
    let ms = 0;
    const now = () => (ms += 10);
    const { err } = await app.submit(['a.ndjson', '--wait', '--timeout', '1'], { io: { ...io, sleep, now } });
    expect(err).toContain(
      'sluice: Interrupted. The app continues with batch batch-1.\nTo watch it: sluice watch batch-1\n',
    );
  });

  it('says for several files which of them may have been accepted', async () => {
    await app.write({ 'a.ndjson': '1', 'b.ndjson': '2' });
    const { io, interrupt } = interruption();
    interruptAtAnswer(interrupt);
    const { out, err } = await app.submit(['*.ndjson'], { io });
    expect(out).toMatch(/a.ndjson +sent\n/);
    expect(err).toContain('A file whose state is "sent" may have been accepted. To find out and to continue, run the');
  });
});

it('a format that the name of a file does not have changes its key', async () => {
  await app.write({ 'a.json': '[1]' });
  const keyOf = async (...more: string[]) => /key: (\S+)/.exec((await app.submit(['a.json', ...more])).err)?.[1];
  expect(await keyOf('--format', 'json')).toBe(await keyOf());
  expect(await keyOf('--format', 'ndjson')).not.toBe(await keyOf());
});
