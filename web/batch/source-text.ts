import type { BatchView } from '../api/types.ts';

/** Where a batch came from: its file, and who announced that by a message. */
export function sourceText({ source: { kind, name, file }, producer }: Pick<BatchView, 'source' | 'producer'>): string {
  const from = producer === undefined ? '' : ` · producer ${producer}`;
  const fileName = kind === 'inbox' ? name : file;
  return (fileName === undefined ? 'over HTTP' : `file ${fileName}`) + from;
}
