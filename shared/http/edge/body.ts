/** Bodies that are generated while they are sent. */
import { toError } from '../../errors.ts';
import { log } from '../../telemetry/log.ts';
import type { Connection } from './connection.ts';

/** Number of frames that are read ahead of the one that is being sent. */
export const AHEAD = 4;
/** Smaller pieces are joined, because each piece costs a write to the client. */
const PIECE_CHARS = 64 * 1024;

/**
 * Creates a body from pieces of text. The first piece is generated before the answer begins, so that an early error becomes a
 * proper answer. A later error can only cut the connection; it is logged. The body ends early if the client is gone.
 */
export async function textBody(
  pieces: AsyncIterable<string>,
  connection: Connection,
): Promise<AsyncIterable<Uint8Array>> {
  const iterator = gathered(pieces);
  const first = await iterator.next();
  return (async function* () {
    try {
      if (!first.done) yield Buffer.from(first.value);
      for await (const piece of iterator) {
        if (!(await connection.ready())) return;
        yield Buffer.from(piece);
      }
    } catch (error) {
      log.error('answer-cut', { error: toError(error) });
      connection.cut();
      throw error;
    } finally {
      await iterator.return(undefined);
    }
  })();
}

async function* gathered(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_CHARS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
