/** A command of the user. */
export type Key = 'run' | 'auto' | 'help' | 'quit';

/** The help for the keys. */
export const KEYS = 'Keys: r runs the file again, a runs it after each edit (on or off), h shows this, q ends.';

const KEY_OF: Readonly<Record<string, Key>> = { r: 'run', a: 'auto', h: 'help', q: 'quit', '\u0003': 'quit' };

/** Returns the commands in the input: keys of a terminal, otherwise the first letter of each line. */
export function readKeys(text: string, isTerminal: boolean): Key[] {
  const typed = isTerminal ? [...text] : text.split('\n').map((line) => line.trim().slice(0, 1));
  return typed.map((letter) => KEY_OF[letter.toLowerCase()]).filter((key) => key !== undefined);
}

/** Reads commands from standard input until the returned function is called. The end of a pipe has no effect. */
export function listenForKeys(input: NodeJS.ReadStream, onKey: (key: Key) => void): () => void {
  const isTerminal = input.isTTY === true;
  const onData = (text: string): void => {
    for (const key of readKeys(text, isTerminal)) onKey(key);
  };
  input.setEncoding('utf8');
  if (isTerminal) input.setRawMode(true);
  input.on('data', onData);
  return () => {
    input.off('data', onData);
    if (isTerminal) input.setRawMode(false);
    input.pause();
  };
}
