import { describe, expect, it } from 'vitest';
import { textBody } from '../../../../shared/http/edge/body.ts';
import { connectionOf } from '../../../../shared/http/edge/connection.ts';
import { withLog } from '../../../../shared/telemetry/log.ts';
import { SILENT_LOG } from '../../../helpers/fakes/silent-log.ts';

async function* pieces(texts: string[], end?: Error): AsyncGenerator<string> {
  yield* texts;
  if (end) throw end;
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return chunks;
}

const bodyOf = (source: AsyncIterable<string>) => textBody(source, connectionOf('unknown'));

describe('textBody', () => {
  it('joins small pieces and keeps their order', async () => {
    const texts = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`);
    const chunks = await collect(await bodyOf(pieces(texts)));
    expect(Buffer.concat(chunks).toString()).toBe(texts.join(''));
    expect(chunks.length).toBeLessThan(10);
  });

  it('is empty for no pieces', async () => {
    expect(await collect(await bodyOf(pieces([])))).toEqual([]);
  });

  it('fails before the answer begins if the first piece cannot be generated', async () => {
    await expect(bodyOf(pieces([], new Error('gone')))).rejects.toThrow('gone');
  });

  it('fails during the answer if a later piece cannot be generated', async () => {
    const body = await bodyOf(pieces(['x'.repeat(70_000)], new Error('cut')));
    await expect(withLog(SILENT_LOG, () => collect(body))).rejects.toThrow('cut');
  });

  it('ends its source when the reader stops', async () => {
    let ended = false;
    const source = (async function* () {
      try {
        for (;;) yield 'x'.repeat(70_000);
      } finally {
        ended = true;
      }
    })();
    for await (const _chunk of await bodyOf(source)) break;
    expect(ended).toBe(true);
  });
});
