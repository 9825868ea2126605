import { expect, it } from 'vitest';
import { z } from 'zod';
import { jsonBodyOf } from '../../../../../shared/http/edge/request/json-body.ts';
import { requestFor } from '../../requests.ts';

const read = (body: string) => jsonBodyOf(requestFor('x', {}, body), z.object({ n: z.array(z.number()).default([]) }));

it.each(['', ' \n'])('a missing body counts as an empty object: %j', async (body) => {
  expect(await read(body)).toEqual({ n: [] });
});

it('a body that is nested deeper than an item and its field is refused', async () => {
  const nested = (levels: number): string => `{"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  expect(await read(nested(101))).toEqual({ n: [] });
  await expect(read(nested(102))).rejects.toMatchObject({
    type: 'invalid-parameter',
    message: 'The body must have at most 102 levels, an item 100; it has more at character 107.',
  });
});

it('of many invalid fields, the first ten are named', async () => {
  const fault = await read(JSON.stringify({ n: Array.from({ length: 9_000 }, () => null) })).catch((error) => error);
  expect(fault.type).toBe('invalid-parameter');
  expect(fault.message.match(/at n\[/g)).toHaveLength(10);
});
