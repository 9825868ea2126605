import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { askSecrets } from '../../../../cli/profiles/ask-secrets.ts';

it('asks in a terminal without showing the typed text', async () => {
  const typed = new PassThrough();
  let shown = '';
  const write = (text: string | Uint8Array): boolean => {
    shown += String(text);
    return true;
  };
  const answer = askSecrets({ stdin: typed, stderr: { write } }, ['Key: ', 'Other: ']);
  typed.write('secret\rother\r');
  expect([await answer, shown]).toEqual([['secret', 'other'], 'Key: \nOther: \n']);
  const ended = askSecrets({ stdin: new PassThrough().end(), stderr: { write } }, ['Key: ']);
  expect(await ended).toEqual(['']);
});
