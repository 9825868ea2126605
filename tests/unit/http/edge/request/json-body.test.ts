import { describe, expect, it } from 'vitest';
import { redriveRequestSchema } from '../../../../../shared/http/dead-letters/schemas.ts';
import { jsonBodyOf } from '../../../../../shared/http/edge/request/json-body.ts';
import { requestFor } from '../../requests.ts';

const corrected = (levels: number): string =>
  `{"corrected":[{"index":0,"item":${'['.repeat(levels)}${']'.repeat(levels)}}]}`;
const read = (body: string) => jsonBodyOf(requestFor('x', {}, body), redriveRequestSchema);

describe('a corrected item', () => {
  it('may be nested as deep as an uploaded item', async () => {
    expect(JSON.stringify(await read(corrected(100)))).toBe(corrected(100));
  });

  it.each([101, 20_000])('is refused if it is nested deeper: %i levels', async (levels) => {
    await expect(read(corrected(levels))).rejects.toMatchObject({
      type: 'invalid-parameter',
      message: 'The body must have at most 103 levels, an item 100; it has more at character 133.',
    });
  });
});
