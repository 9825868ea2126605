import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const ROOT = join(import.meta.dirname, '../../..');

/** Writes blobs below `folder` by their names, like `az storage blob download-batch`. */
export async function writeBlobs(folder: string, blobs: Record<string, Uint8Array>): Promise<void> {
  for (const [name, bytes] of Object.entries(blobs)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
}

/** The SQL in docs/analysis.md after `heading`: the tests run what users copy. */
export async function documentedSql(heading: string): Promise<string> {
  const text = await readFile(join(ROOT, 'docs/analysis.md'), 'utf8');
  const sql = new RegExp(`^#+ ${heading}$.*?\`\`\`sql\n(.*?)\`\`\``, 'ms').exec(text)?.[1];
  if (sql === undefined) throw new Error(`Expected docs/analysis.md to have SQL below "${heading}".`);
  return sql;
}

/** Runs a query on the files below `folder`; returns the rows as JSON values. */
export async function query(folder: string, sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:', { file_search_path: folder, threads: '2' });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
