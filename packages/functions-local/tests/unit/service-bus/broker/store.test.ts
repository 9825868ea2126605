import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Store } from '../../../../src/service-bus/broker/store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'broker-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const draft = {
  ...{ sequence: 1, enqueuedSequence: 1, enqueuedAt: 5, dueAt: undefined, ttlMs: undefined, expiresAt: undefined },
  ...{ deliveries: 0, annotations: Buffer.from('a'), bare: Buffer.from('b') },
};

test.each([
  [undefined, undefined],
  [true, 0],
  [false, 9],
])('keeps durable %s and priority %s', (durable, priority) => {
  const file = join(folder, 'bus.db');
  const first = new Store(file);
  first.insert('queue', { ...draft, durable, priority });
  first.close();
  const second = new Store(file);
  expect(second.loadMessages('queue')).toMatchObject([{ durable, priority, bare: Buffer.from('b') }]);
  second.close();
});

test('opens a file of a version that did not store headers', () => {
  const file = join(folder, 'bus.db');
  const old = new DatabaseSync(file);
  old.exec(`CREATE TABLE messages (
    row INTEGER PRIMARY KEY, entity TEXT NOT NULL, sequence INTEGER NOT NULL, enqueuedSequence INTEGER NOT NULL,
    enqueuedAt INTEGER NOT NULL, dueAt INTEGER, ttlMs INTEGER, expiresAt INTEGER, deliveries INTEGER NOT NULL,
    annotations BLOB NOT NULL, bare BLOB NOT NULL) STRICT`);
  old.exec(`INSERT INTO messages VALUES (1, 'queue', 1, 1, 5, NULL, NULL, NULL, 0, x'61', x'62')`);
  old.close();
  const store = new Store(file);
  store.insert('queue', { ...draft, sequence: 2, durable: false, priority: 1 });
  const messages = store.loadMessages('queue').map(({ sequence, durable, priority }) => [sequence, durable, priority]);
  expect(messages).toEqual([
    [1, undefined, undefined],
    [2, false, 1],
  ]);
  store.close();
});
