import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/durable/store/database.ts';
import { openExclusively } from '../../src/exclusive-database.ts';
import { Store } from '../../src/service-bus/broker/store.ts';
import { holdDatabase } from '../helpers/hold-database.ts';

let file: string;
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'exclusive-')), 'store.db');
});
afterEach(() => rmSync(join(file, '..'), { recursive: true, force: true }));

const stores: [string, (file: string) => { close(): void }][] = [
  ['the durable store', openDatabase],
  ['the broker', (path) => new Store(path)],
];

test('waits for another writer that is about to finish', async () => {
  await holdDatabase(file, 150);
  const db = openExclusively(file, (opened) => opened.exec('CREATE TABLE own (value INTEGER)'));
  expect(db.prepare('SELECT count(*) AS count FROM held').get()).toEqual({ count: 1 });
  db.close();
});

test.each(stores)('%s refuses other connections after it is opened, also for an existing file', (_, open) => {
  open(file).close();
  const store = open(file);
  const other = new DatabaseSync(file);
  expect(() => other.exec('BEGIN IMMEDIATE')).toThrow('database is locked');
  other.close();
  store.close();
});

test('reports the file that is in use after the wait', () => {
  const first = openExclusively(file, () => {});
  expect(() => openExclusively(file, () => {}, 20)).toThrow(`'${file}' is in use by another process`);
  first.close();
});
