import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Suggestion, suggest, type Tried } from '../../../../cli/try/suggest.ts';
import type { CsvReading } from '../../../../shared/intake/parse/csv-options.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { itemSchemaOf } from '../../../../shared/workload/item-schema.ts';

const item = z.object({
  customer: z.string(),
  amount: z.number(),
  currency: z.enum(['EUR', 'USD']),
  address: z.object({ city: z.string() }).optional(),
  note: z.string().optional(),
});
const schema = itemSchemaOf(defineWorkload({ name: 'orders', version: 1, item, map: (order) => order }));

const csv = (columns: Record<string, string>, reading: Partial<CsvReading> = {}): CsvReading => ({
  ...{ delimiter: ',', decimal: '.', charset: 'utf-8' },
  columns: Object.entries(columns).map(([name, type]) => ({ header: name, name, type: type as 'text' })),
  ...reading,
});
const suggested = (tried: Partial<Omit<Tried, 'check'>> & { check: Partial<Tried['check']> }): Suggestion[] =>
  suggest({ schema, items: [], ...tried, check: { format: 'csv', ...tried.check } });
const flagsOf = (suggestions: Suggestion[]): string[] => suggestions.flatMap(({ flags }) => flags);

describe('the suggestion', () => {
  it('is to rename a column whose cells may be values of a missing field', () => {
    const found = suggested({
      check: { csv: csv({ Kunde: 'text', Betrag: 'text', Art: 'text', note: 'text' }) },
      items: [{ Kunde: 'c1', Betrag: '2.5', Art: 'EUR', note: 'x' }],
    });
    expect(found.map(({ text }) => text)).toEqual([
      'Column "Kunde" is not in the schema; `customer` is missing.',
      'Column "Betrag" is not in the schema; `amount` is missing.',
      'Column "Art" is not in the schema; `currency` is missing.',
    ]);
    expect(flagsOf(found)).toEqual(['--rename Kunde=customer', '--rename Betrag=amount', '--rename Art=currency']);
  });

  it('supports nullable fields, a discriminated union, and a recursive schema', () => {
    const shared = { amount: z.number().nullable(), item: z.string() };
    const union = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('sale'), ...shared }),
      z.object({ kind: z.literal('refund'), reason: z.string(), ...shared }),
    ]);
    const definition = defineWorkload({ name: 'sales', version: 1, item: union, map: (sale) => sale });
    const check = { csv: csv({ Ware: 'text', Betrag: 'text', Art: 'text' }) };
    const items = [{ Ware: 'Tee', Betrag: '2.5', Art: 'sale' }];
    const renames = ['--rename Art=kind', '--rename Betrag=amount', '--rename Ware=item'];
    expect(flagsOf(suggested({ check, schema: itemSchemaOf(definition), items }))).toEqual(renames);

    const part = { $ref: '#/$defs/Part' };
    const sides = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`side${n}`, part]));
    const properties = { size: { anyOf: [{ type: 'integer' }, { type: 'null' }] }, ...sides };
    const recursive = { ...part, $defs: { Part: { type: 'object', required: ['size'], properties } } };
    const parts = { csv: csv({ Breite: 'text' }) };
    expect(flagsOf(suggested({ check: parts, schema: recursive, items: [{ Breite: '7' }] }))).toEqual([
      '--rename Breite=size',
    ]);
    expect(flagsOf(suggested({ check: parts, schema: recursive, items: [{ Breite: 'x' }] }))).toEqual([]);
  });

  it('is empty for a file that has little in common with the schema', () => {
    for (const columns of [{ Alter: 'text' }, { a: 'text', b: 'text', c: 'text', d: 'text', e: 'text' }])
      expect(flagsOf(suggested({ check: { csv: csv(columns) }, items: [{}] }))).toEqual([]);
  });

  it('prefers a similar name, and quotes special characters of the shell', () => {
    const found = suggested({
      check: { csv: csv({ 'Other $(x)': 'text', custmer: 'text', amount: 'number', currency: 'text' }) },
      items: [{ 'Other $(x)': 'a', custmer: 'b', amount: 1, currency: 'EUR' }],
    });
    expect(flagsOf(found)).toEqual(['--rename custmer=customer']);
    const quoted = suggested({
      check: { csv: csv({ "Kunde's $(x)": 'text', amount: 'number', currency: 'text' }) },
      items: [{ "Kunde's $(x)": 'a', amount: 1, currency: 'EUR' }],
    });
    expect(flagsOf(quoted)).toEqual([`--rename 'Kunde'\\''s $(x)=customer'`]);
  });

  it('is empty for an existing field whose name contains dots', () => {
    const dotted = z.object({ 'No.': z.string(), 'to.city': z.string(), from: z.object({ 'zip.': z.string() }) });
    const definition = defineWorkload({ name: 'orders', version: 1, item: dotted, map: (order) => order });
    const items = [{ 'No.': '7', 'to.city': 'Bonn', from: { 'zip.': '53111' } }];
    expect(suggested({ check: { format: 'ndjson' }, schema: itemSchemaOf(definition), items })).toEqual([]);
  });

  it('is empty for an empty column and for a missing optional field', () => {
    const check = { csv: csv({ customer: 'text', amount: 'number', currency: 'text', Stadt: 'text' }) };
    expect(suggested({ check, items: [{ amount: 1, currency: 'EUR', Stadt: 'Bonn' }] })).toEqual([]);
  });

  it('pairs no names of a file that has little in common with the schema', () => {
    const check = { csv: csv({ day: 'text', paid: 'text', city: 'text', plz: 'text' }) };
    const found = suggested({ check, items: [{ day: '1', paid: '2', city: '3', plz: '4' }] });
    expect(found).toEqual([
      {
        text: 'No column for `customer`, `amount`, `currency`. Not in the schema: "day", "paid", "city", "plz".',
        flags: [],
      },
    ]);
  });

  it('lists missing fields for which there is no column', () => {
    const check = { csv: csv({ customer: 'text', currency: 'text' }) };
    const [found, ...others] = suggested({ check, items: [{ customer: 'a', currency: 'EUR' }] });
    expect([found?.text, others]).toEqual(['No column for `amount`.', []]);
  });

  it('is the decimal comma for a number column that contains one', () => {
    const check = { csv: csv({ customer: 'text', amount: 'number', currency: 'text' }) };
    const items = [{ customer: '1,5', amount: 1, currency: 'EUR' }];
    expect(suggested({ check, items })).toEqual([]);
    const [found] = suggested({ check, items: [...items, { customer: 'b', amount: '1,50', currency: 'EUR' }] });
    expect(found).toEqual({ text: 'The number column "amount" contains "1,50".', flags: ['--decimal comma'] });
  });

  it('is the delimiter for a header with a single column, and Windows-1252 for invalid UTF-8', () => {
    expect(flagsOf(suggested({ check: { csv: csv({ 'customer;amount': 'text' }) } }))).toEqual([
      '--delimiter semicolon',
    ]);
    const fault = { line: 3, column: 2, message: 'Invalid UTF-8.' };
    expect(flagsOf(suggested({ check: { fault } }))).toEqual(['--charset windows-1252']);
    expect(suggested({ check: { fault, format: 'json' } })).toEqual([]);
  });

  it('lists the existing keys of JSON', () => {
    const [found] = suggested({ check: { format: 'ndjson' }, items: [{ Kunde: 1, amount: 1, currency: 'EUR' }] });
    expect(found?.text).toBe('No item has `customer`. The items have "Kunde", which the schema does not contain.');
  });
});
