import type { BatchView } from '../api/types.ts';

/** Returns the origin of a batch: its file, and the producer that announced it by a message. */
export function sourceText({ source: { kind, name, file }, producer }: Pick<BatchView, 'source' | 'producer'>): string {
  const from = producer === undefined ? '' : ` · producer ${producer}`;
  const fileName = kind === 'inbox' ? name : file;
  return (fileName === undefined ? 'over HTTP' : `file ${fileName}`) + from;
}
