import { describe, expect, it } from 'vitest';
import { nextLink } from '../../../../shared/http/edge/links.ts';
import { requestFor } from '../requests.ts';

describe('nextLink', () => {
  it('returns no header on the last page', () => {
    expect(nextLink(requestFor('x?limit=2'), { from: undefined, after: [] })).toEqual({});
  });

  it.each(['code', 'Code', 'CODE', '%63ode'])('never repeats a key, here as %s', (name) => {
    const { link } = nextLink(requestFor(`batches?${name}=secret&limit=2&${name}=other`), { after: 'b' });
    expect(link).toBe('</api/batches?limit=2&after=b>; rel="next"');
  });

  it('changes the query, repeats lists, and drops a key', () => {
    const { link } = nextLink(requestFor('batches/1/results?code=k&from=1&column=z&limit=2'), {
      from: '000002',
      column: ['a,b', 'c d'],
    });
    expect(link).toBe('</api/batches/1/results?limit=2&from=000002&column=a%2Cb&column=c+d>; rel="next"');
  });
});
