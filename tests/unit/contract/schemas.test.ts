import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { publishedSchemas } from './published.ts';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

test.each(Object.entries(publishedSchemas()))('docs/contract/%s is what the code reads by', (name, schema) => {
  // After a change that is meant: npm run contract.
  expect(read(`../../../docs/contract/${name}`)).toEqual(schema);
});

test.each([
  ['reference', 'reference-items'],
  ['reference', 'reference-retries'],
  ['result', 'result'],
  ['result', 'result-escaped'],
  ['event', 'event-wake'],
  ['event', 'event-completed'],
  ['event', 'event-rejected'],
])('schema %s takes the kept message %s', (name, fixture) => {
  const validate = new Ajv2020().compile(read(`../../../docs/contract/${name}.v1.schema.json`) as object);

  expect(validate(read(`fixtures/${fixture}.v1.json`)) || validate.errors).toBe(true);
});
