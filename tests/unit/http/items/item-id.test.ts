import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { idReader } from '../../../../shared/http/items/item-texts.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';

const idOf = (text: string, fields: Partial<Parameters<typeof defineWorkload>[0]> = {}) =>
  idReader(
    defineWorkload({
      ...{ name: 'w', version: 1, item: z.object({ key: z.string().toUpperCase() }) },
      ...{
        map: (item: unknown) => item,
        id: (item: unknown) => (item as { key: { toString(): string } }).key.toString(),
      },
      ...fields,
    }),
  )?.(text);

describe('idReader', () => {
  it('reads the id from the output of the schema', async () => {
    expect(await idOf('{"key":"a"}')).toBe('A');
  });

  it('reads the id of an invalid record from the record itself', async () => {
    expect(await idOf('{"key":7}')).toBe('7');
  });

  it('returns undefined if the function of the workload throws for an invalid record', async () => {
    expect(await idOf('{}')).toBeUndefined();
  });

  it('returns undefined if the schema itself throws', async () => {
    const item = z.unknown().transform((): unknown => {
      throw new TypeError('An error in the schema');
    });
    expect(await idOf('{"key":"a"}', { item })).toBeUndefined();
  });

  it('does not exist for a workload without the option id, or for an unknown one', () => {
    expect(idReader(defineWorkload({ name: 'w', version: 1, item: z.unknown(), map: (item) => item }))).toBeUndefined();
    expect(idReader(undefined)).toBeUndefined();
  });
});
