import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../../src/durable/store/database.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'durable-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a store with another schema is refused and can be opened by its own version', () => {
  const file = join(folder, 'durable.sqlite');
  const newer = new DatabaseSync(file);
  newer.exec('PRAGMA user_version = 9');
  newer.close();
  expect(() => openDatabase(file)).toThrow(`The durable store '${file}' has schema 9, expected 1: delete the file`);
  const again = new DatabaseSync(file);
  expect(again.prepare('PRAGMA user_version').get()).toEqual({ user_version: 9 });
  again.close();
});
