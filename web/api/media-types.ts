/** What files of the known kinds are sent as. */

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
};
const ENCODINGS: Readonly<Record<string, string>> = { gz: 'gzip', br: 'br', zst: 'zstd' };

/** Content type and encoding of a file by its name; undefined: not a kind that can be uploaded. */
export function describeFile(name: string): { contentType: string; encoding: string | undefined } | undefined {
  const [, format = '', suffix] = /\.(\w+?)(?:\.(gz|br|zst))?$/.exec(name.toLowerCase()) ?? [];
  const contentType = MEDIA_TYPES[format];
  return contentType === undefined ? undefined : { contentType, encoding: suffix && ENCODINGS[suffix] };
}
