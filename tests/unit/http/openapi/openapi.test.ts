import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { PROBLEMS } from '../../../../shared/errors.ts';
import { JSON_TYPE } from '../../../../shared/http/edge/route.ts';
import { openApiDocument } from '../../../../shared/http/openapi/openapi.ts';
import { ROUTES } from '../../../../shared/http/routes.ts';

const root = new URL('../../../../', import.meta.url);
const document = openApiDocument(ROUTES) as {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; parameters: { in: string; name: string }[] }>>;
  components: { schemas: Record<string, object> };
};

describe('the table of routes', () => {
  it('contains no route twice', () => {
    const keys = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(ROUTES.map(({ name }) => name)).size).toBe(ROUTES.length);
  });
});

const examples = ROUTES.flatMap(({ name, body, example, answers }) => [
  { name: `the body of ${name}`, schema: body?.[JSON_TYPE], example },
  ...answers.map(({ content, example: answer }) => ({
    name: `the answer of ${name}`,
    schema: content[JSON_TYPE],
    example: answer,
  })),
]).filter(({ example }) => example !== undefined);

it.each(examples)('the example of $name fits its schema', ({ schema, example }) => {
  expect(schema).not.toBe('text');
  expect((schema as z.ZodType | undefined)?.safeParse(example)).toMatchObject({ success: true });
});

describe('the OpenAPI document', () => {
  it('contains every route, with the parameters of its path', () => {
    expect(document.openapi).toBe('3.1.0');
    for (const { name, method, path } of ROUTES) {
      const operation = document.paths[`/api/${path}`]?.[method.toLowerCase()];
      expect(operation?.operationId).toBe(name);
      const inPath = operation?.parameters.filter((parameter) => parameter.in === 'path').map((each) => each.name);
      expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter));
    }
  });

  it('has no dangling references', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
    const missing = [...references].filter(([, id = '']) => !(id in document.components.schemas));
    expect(missing).toEqual([]);
  });

  it.each(Object.keys(document.components.schemas))('has a valid JSON Schema of %s', (id) => {
    const ajv = new Ajv2020({ strict: false, formats: { date: true } });
    const schema = { $ref: `#/components/schemas/${id}`, components: document.components };
    expect(ajv.compile(schema)(undefined)).toBe(false);
  });
});

describe('docs/api.md', () => {
  const text = readFileSync(new URL('docs/api.md', root), 'utf8');

  it('explains every problem', () => {
    const missing = Object.entries(PROBLEMS).filter(
      ([type, [status]]) => !text.includes(`| \`${type}\` | ${status} |`),
    );
    expect(missing.map(([type]) => type)).toEqual([]);
  });
});
