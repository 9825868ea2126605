import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { itemSchemaOf } from '../../../shared/workload/item-schema.ts';

type Item = Parameters<typeof defineWorkload>[0]['item'];
const workloadOf = (item: Item) => defineWorkload({ name: 'w', version: 1, item, map: () => 1 });
const validator = (extra: object): Item => ({
  '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }), ...extra },
});

it('describes an item as it is uploaded, and leaves types open that JSON Schema does not have', () => {
  const item = z.object({ id: z.string().default('none'), at: z.date() });
  expect(itemSchemaOf(workloadOf(item))).toMatchObject({ properties: { id: { type: 'string' }, at: {} } });
});

it('is absent for a validator without JSON Schema, and for one that cannot express its schema', () => {
  const failing = {
    jsonSchema: {
      input: () => {
        throw new Error('not expressible');
      },
    },
  };
  expect(itemSchemaOf(workloadOf(validator({})))).toBeUndefined();
  expect(itemSchemaOf(workloadOf(validator(failing)))).toBeUndefined();
});
