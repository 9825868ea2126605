import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { eventTypesPage } from './event-types-page.ts';
import { publishedSchemas } from './published.ts';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

test.each(Object.entries(publishedSchemas()))('docs/contract/%s is generated from the current code', (name, schema) => {
  // After an intended change, run `npm run generate`.
  expect(read(`../../../docs/contract/${name}`)).toEqual(schema);
});

test('docs/contract/event-types.md is generated from the current code', () => {
  const page = readFileSync(new URL('../../../docs/contract/event-types.md', import.meta.url), 'utf8');
  expect(page).toBe(eventTypesPage());
});

test.each([
  ['reference.v1', 'reference-items.v1'],
  ['reference.v1', 'reference-retries.v1'],
  ['reference.v2', 'reference-blob.v2'],
  ['result.v1', 'result.v1'],
  ['result.v1', 'result-escaped.v1'],
  ['event.v1', 'event-wake.v1'],
  ['event.v1', 'event-completed.v1'],
  ['event.v1', 'event-rejected.v1'],
  ['event.v1', 'event-paused.v1'],
  ['event.v1', 'event-resumed.v1'],
  ['event.v1', 'event-at-risk.v1'],
  ['event.v1', 'event-results.v1'],
  ['event.v1', 'event-later.v1'],
])('schema %s accepts the stored message %s', (name, fixture) => {
  const validate = new Ajv2020().compile(read(`../../../docs/contract/${name}.schema.json`) as object);

  expect(validate(read(`fixtures/${fixture}.json`)) || validate.errors).toBe(true);
});

test('a known type with wrong fields is not taken for a later type', () => {
  const validate = new Ajv2020().compile(read('../../../docs/contract/event.v1.schema.json') as object);
  const { queue: _queue, ...body } = read('fixtures/event-wake.v1.json') as Record<string, unknown>;

  expect(validate(body)).toBe(false);
});

/** The types in the schema of the first release: a frozen copy that later releases do not change. */
const FIRST_TYPES = ['QueueWorkDetected', 'QueueEmpty', 'ItemsDeadLettered', 'BatchCompleted', 'InboxRejected'];

test('a reader of the first release ignores later types and still reads its own', () => {
  const validate = new Ajv2020().compile(read('fixtures/event-old.v1.schema.json') as object);
  const accepts = (event: { type: string }): boolean => validate(event);
  // The rule of docs/contract/events.md: readers check the type first, and validate only known types.
  const heard: string[] = [];
  const receive = (event: { type: string }): void => {
    if (!FIRST_TYPES.includes(event.type)) return;
    if (!accepts(event)) throw new Error(`${event.type}: ${JSON.stringify(validate.errors)}`);
    heard.push(event.type);
  };
  const names = ['wake', 'results', 'at-risk', 'paused', 'resumed', 'later', 'rejected', 'completed'];
  const stream = names.map((name) => read(`fixtures/event-${name}.v1.json`) as { type: string });

  for (const event of stream) receive(event);

  expect(heard).toEqual(['QueueWorkDetected', 'InboxRejected', 'BatchCompleted']);
  // Proves that the check of the type is necessary: by itself, that schema refuses every later type.
  expect(stream.filter(accepts).map(({ type }) => type)).toEqual(heard);
});
