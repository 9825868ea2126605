import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { applyCors, type CorsOptions, readOrigins } from '../../../../src/host/http/cors.ts';

interface Answer {
  isAnswered: boolean;
  status?: number;
  headers: Record<string, string>;
}

function answerTo(cors: CorsOptions, method: string, headers: Record<string, string>): Answer {
  const answer: Answer = { isAnswered: false, headers: {} };
  const response = {
    headersSent: false,
    destroyed: false,
    setHeader: (name: string, value: string) => {
      answer.headers[name] = value;
    },
    writeHead: (status: number) => {
      answer.status = status;
      return { end: () => {} };
    },
  };
  const request = { method, headers };
  answer.isAnswered = applyCors(cors, request as IncomingMessage, response as unknown as ServerResponse);
  return answer;
}

const SHOP = { origins: ['http://localhost:3000'], credentials: true };
const PREFLIGHT = { origin: 'http://localhost:3000', 'access-control-request-method': 'PUT' };

describe('applyCors', () => {
  it('answers a preflight request with the requested method and headers', () => {
    const headers = { ...PREFLIGHT, 'access-control-request-headers': 'x-functions-key' };
    expect(answerTo(SHOP, 'OPTIONS', headers)).toEqual({
      isAnswered: true,
      status: 204,
      headers: {
        'access-control-allow-origin': 'http://localhost:3000',
        vary: 'Origin',
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'PUT',
        'access-control-allow-headers': 'x-functions-key',
      },
    });
  });

  it('allows nothing for another origin', () => {
    const headers = { ...PREFLIGHT, origin: 'http://localhost:3001' };
    expect(answerTo(SHOP, 'OPTIONS', headers)).toEqual({ isAnswered: true, status: 204, headers: {} });
    expect(answerTo(SHOP, 'GET', headers)).toEqual({ isAnswered: false, headers: {} });
  });

  it('passes on a request and sets its headers', () => {
    const answer = answerTo({ origins: ['*'], credentials: false }, 'GET', { origin: 'http://anywhere' });
    expect(answer).toEqual({ isAnswered: false, headers: { 'access-control-allow-origin': '*' } });
  });

  it('leaves requests without an origin, and OPTIONS requests that are not preflight, to the app', () => {
    expect(answerTo(SHOP, 'GET', {})).toEqual({ isAnswered: false, headers: {} });
    expect(answerTo(SHOP, 'OPTIONS', { origin: 'http://localhost:3000' }).isAnswered).toBe(false);
  });
});

describe('readOrigins', () => {
  it('splits at commas and removes trailing slashes', () => {
    expect(readOrigins(' http://a/ ,http://b,, ')).toEqual(['http://a', 'http://b']);
  });
});
