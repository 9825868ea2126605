import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../shared/errors.ts';
import { answerFormat } from '../../../../shared/http/edge/formats.ts';
import { requestFor } from '../requests.ts';

describe('answerFormat', () => {
  it.each([
    [undefined, 'ndjson'],
    ['*/*', 'ndjson'],
    ['text/csv', 'csv'],
    ['TEXT/CSV; charset=utf-8', 'csv'],
    ['text/html, text/csv;q=0.2, application/x-ndjson;q=0.1', 'csv'],
    ['text/csv;q=0, application/ndjson', 'ndjson'],
    ['application/json', 'ndjson'],
    ['image/png', 'ndjson'],
    ['text/csv;q=x', 'ndjson'],
  ])('answers Accept %j with %s', (accept, format) => {
    const headers = accept === undefined ? {} : { accept };
    expect(answerFormat(requestFor('x', headers), ['ndjson', 'csv'])).toBe(format);
  });

  it('prefers ?format', () => {
    expect(answerFormat(requestFor('x?format=ndjson', { accept: 'text/csv' }), ['ndjson', 'csv'])).toBe('ndjson');
  });

  it('refuses a format that is not offered', () => {
    expect(() => answerFormat(requestFor('x?format=json'), ['ndjson', 'csv'])).toThrow(Problem);
  });
});
