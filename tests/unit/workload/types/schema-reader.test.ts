import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { itemSchemaOf } from '../../../../shared/workload/item-schema.ts';
import { SchemaReader } from '../../../../shared/workload/types/schema-reader.ts';
import { ANY, NUMBER, TYPES } from '../../../../shared/workload/types/types.ts';

/** Returns the types of the property at `path`, and whether it is required. */
function read(root: unknown, path: string): [types: number, required: boolean] {
  const reader = new SchemaReader(root as SchemaReader['root']);
  const steps = path.split('.');
  const name = steps.pop() ?? '';
  const parent = steps.reduce((schema, step) => reader.property(schema, step), reader.root);
  return [reader.types(reader.property(parent, name)), reader.requires(parent, name)];
}

const object = (a: unknown, rest: object = {}): object => ({ type: 'object', properties: { a }, ...rest });

describe('SchemaReader', () => {
  it.each(['anyOf', 'allOf'])('follows a path through %s whose members refer back to it', (union) => {
    const member = (description: string): object => ({
      type: 'object',
      properties: { next: { $ref: '#/$defs/Node', description }, value: { type: 'integer' } },
      required: ['value'],
    });
    const schema = { $ref: '#/$defs/Node', $defs: { Node: { [union]: [member('one'), member('other')] } } };
    expect(read(schema, `${'next.'.repeat(22)}value`)).toEqual([TYPES.integer, true]);
  });

  it.each([
    ['a type', object({ type: 'number' }), NUMBER],
    ['a whole number', object({ type: 'integer' }), TYPES.integer],
    ['several types', object({ type: ['boolean', 'null'] }), TYPES.boolean | TYPES.null],
    ['nothing', object({}), ANY],
    ['true', object(true), ANY],
    ['only a description', object({ description: 'x' }), ANY],
    ['an unknown type', object({ type: 'decimal' }), 0],
    ['alternatives', object({ anyOf: [{ type: 'number' }, { type: 'null' }] }), NUMBER | TYPES.null],
    ['one of', object({ oneOf: [{ type: 'string' }, { type: 'integer' }] }), TYPES.text | TYPES.integer],
    ['all of', object({ allOf: [{ type: ['integer', 'string'] }, { type: 'number' }] }), TYPES.integer],
    ['an enum of numbers', object({ enum: [1, 2.5] }), NUMBER],
    ['an enum of whole numbers and null', object({ enum: [1, 2, null] }), TYPES.integer | TYPES.null],
    ['a constant', object({ const: true }), TYPES.boolean],
    ['a constant null', object({ const: null }), TYPES.null],
    ['an object', object({ type: 'object' }), TYPES.object],
    ['a reference', object({ $ref: '#/$defs/Money' }, { $defs: { Money: { type: 'number' } } }), NUMBER],
    [
      'a reference with special characters',
      object({ $ref: '#/$defs/a~1b%20c' }, { $defs: { 'a/b c': { type: 'integer' } } }),
      TYPES.integer,
    ],
    ['a reference without a target', object({ $ref: '#/$defs/none' }), ANY],
    ['a reference to another document', object({ $ref: 'https://example.com/schema' }), ANY],
    ['a reference to itself', object({ $ref: '#/properties/a' }), ANY],
    ['records', { type: 'object', additionalProperties: { type: 'number' } }, NUMBER],
    ['records of anything', { type: 'object', additionalProperties: true }, ANY],
    ['an item that is a reference', { $ref: '#/$defs/Item', $defs: { Item: object({ type: 'number' }) } }, NUMBER],
    [
      'a property that several schemas describe',
      { allOf: [object({ type: 'number' }), object({ type: ['integer', 'null'] })] },
      TYPES.integer,
    ],
    [
      'alternatives of which one does not contain it',
      { anyOf: [object({ type: 'number' }), { type: 'object', properties: { b: {} } }] },
      NUMBER,
    ],
    ['no schema', undefined, ANY],
  ])('reads the types of %s', (_, schema, expected) => {
    expect(read(schema, 'a')[0]).toBe(expected);
  });

  it('reports what is required', () => {
    const required = { required: ['a'] };
    expect(read(object({}, required), 'a')[1]).toBe(true);
    expect(read(object({}), 'a')[1]).toBe(false);
    expect(read({ allOf: [object({}), required] }, 'a')[1]).toBe(true);
    expect(read({ anyOf: [object({}, required), object({})] }, 'a')[1]).toBe(false);
    expect(read({ oneOf: [object({}, required), object({}, required)] }, 'a')[1]).toBe(true);
  });

  it('returns the property names of all parts', () => {
    const schema = {
      $ref: '#/$defs/I',
      $defs: { I: object({}) },
      anyOf: [{ properties: { b: {} } }, { allOf: [{ properties: { c: {} } }] }],
    };
    const reader = new SchemaReader(schema);
    expect([...reader.names(reader.root)].sort()).toEqual(['a', 'b', 'c']);
  });

  it('terminates for schemas that contain themselves', () => {
    const loop = { anyOf: [{ $ref: '#' }, { allOf: [{ $ref: '#' }, { $ref: '#' }] }] };
    const reader = new SchemaReader(loop);
    expect([reader.types(loop), reader.property(loop, 'a'), reader.requires(loop, 'a')]).toEqual([
      ANY,
      undefined,
      false,
    ]);
    expect(reader.names(loop).size).toBe(0);
  });
});

describe('the schema that zod generates', () => {
  const types = (item: z.ZodType, path = 'a'): [number, boolean] =>
    read(itemSchemaOf(defineWorkload({ name: 'x', version: 1, item, map: (value) => value })), path);

  it.each([
    ['number', z.number(), NUMBER, true],
    ['int', z.int(), TYPES.integer, true],
    ['optional', z.number().optional(), NUMBER, false],
    ['nullable', z.boolean().nullable(), TYPES.boolean | TYPES.null, true],
    ['default', z.number().default(3), NUMBER, false],
    ['literal numbers', z.literal([1, 2]), TYPES.integer, true],
    ['number or text', z.union([z.number(), z.string()]), NUMBER | TYPES.text, true],
    ['a pipe of text', z.string().transform(Number).pipe(z.number()), TYPES.text, true],
    ['enum', z.enum(['x', 'y']), TYPES.text, true],
    ['coerce', z.coerce.number(), NUMBER, true],
    ['preprocess', z.preprocess((value) => value, z.number()), NUMBER, true],
    ['array', z.array(z.number()), TYPES.array, true],
  ])(
    'allows the types that a field accepts, and requires it unless it is optional: %s',
    (_, schema, expected, required) => {
      expect(types(z.object({ a: schema }))).toEqual([expected, required]);
    },
  );

  it.each([
    ['date', z.date()],
    ['bigint', z.bigint()],
    ['unknown', z.unknown()],
  ])('leaves %s to the validator', (_, schema) => {
    expect(types(z.object({ a: schema }))[0] & TYPES.text).toBeTruthy();
  });

  it('reads records, nested objects, discriminated unions and recursive types', () => {
    expect(types(z.record(z.string(), z.number()))[0]).toBe(NUMBER);
    expect(types(z.object({ b: z.object({ a: z.int() }) }), 'b.a')).toEqual([TYPES.integer, true]);
    const union = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('x'), a: z.number() }),
      z.strictObject({ kind: z.literal('y'), b: z.string() }),
    ]);
    expect(types(union)).toEqual([NUMBER, false]);
    interface Node {
      a: number;
      next?: Node | undefined;
    }
    const node: z.ZodType<Node> = z.object({ a: z.number(), next: z.lazy(() => node).optional() });
    expect(types(z.object({ next: node }), 'next.next.next.a')).toEqual([NUMBER, true]);
  });
});
