/** Opens an https address as the source of an import: no redirects, public addresses only, no wait without end. */
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { Problem } from '../../errors.ts';
import { withoutQuery } from './allowed-source.ts';
import { PrivateAddressError, publicLookup } from './public-address.ts';
import {
  type OpenedSource,
  type OpenSource,
  SourceChangedError,
  type SourcePlace,
  strongEtag,
  unreadable,
} from './source.ts';

/** Longest time without a byte, from the connection on. */
const SILENCE_MS = 30_000;
/** Statuses after which a later request may succeed. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);
/** Codes of errors that a retry would not resolve: no such host, and certificates that do not fit. */
const LASTING = /^(?:ENOTFOUND|ERR_TLS_.*|.*CERT.*|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;

export interface UrlDeps {
  /** Default that of node:https, to public addresses only. */
  request?: (
    url: URL,
    options: RequestOptions,
    answered: (answer: IncomingMessage) => void,
  ) => ReturnType<typeof httpsRequest>;
  lookup?: RequestOptions['lookup'];
  silenceMs?: number;
}

/** Makes the source of an https address, which has been checked by `allowedSource`. */
export function urlSource(url: URL, deps: UrlDeps = {}): OpenSource {
  return async (place, signal) => toSource(url, place, await answerOf(url, { place, signal, ...deps }));
}

function answerOf(
  url: URL,
  {
    place: { offset, etag },
    signal,
    request = httpsRequest,
    lookup = publicLookup(),
    silenceMs = SILENCE_MS,
  }: UrlDeps & {
    place: SourcePlace;
    signal: AbortSignal | undefined;
  },
): Promise<IncomingMessage> {
  const headers = {
    // The bytes as they are stored: a range of an encoding that is made on the way says nothing.
    'accept-encoding': 'identity',
    'user-agent': 'sluice',
    ...(offset === 0 ? {} : { range: `bytes=${offset}-` }),
    ...(etag === undefined ? {} : { 'if-match': etag }),
  };
  return new Promise((answered, failed) => {
    // Without an agent there is no connection of an earlier look-up to be used again.
    const asked = request(
      url,
      { method: 'GET', agent: false, headers, lookup, timeout: silenceMs, ...(signal ? { signal } : {}) },
      answered,
    );
    asked.on('timeout', () => asked.destroy(new Error(`Nothing came for ${silenceMs / 1000} s.`)));
    asked.on('error', (error) => failed(signal?.aborted ? error : faultOf(url, error)));
    asked.end();
  });
}

function faultOf(url: URL, error: NodeJS.ErrnoException): Problem {
  if (error instanceof PrivateAddressError) return unreadable(error.message, error);
  const detail = `${url.host} cannot be reached: ${error.message}`;
  return LASTING.test(error.code ?? '') ? unreadable(detail, error) : new Problem('busy', detail, { cause: error });
}

function toSource(url: URL, { offset, etag: expected }: SourcePlace, answer: IncomingMessage): OpenedSource {
  const { statusCode = 0, headers } = answer;
  const close = (): void => void answer.destroy();
  try {
    requireContent(url, statusCode, headers);
    const etag = strongEtag(headers.etag);
    if (expected !== undefined && etag !== expected)
      throw new SourceChangedError(`${withoutQuery(url.href)} has changed.`);
    const range = statusCode === 206 ? rangeOf(headers['content-range']) : undefined;
    if (statusCode === 206 && range?.offset !== offset)
      throw unreadable(`${url.host} answers with another range than it was asked for.`);
    return {
      offset: range?.offset ?? 0,
      etag,
      bytes: range ? range.bytes : lengthOf(headers['content-length']),
      body: piecesOf(url, answer),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function requireContent(url: URL, status: number, headers: IncomingMessage['headers']): void {
  if (status === 412 || status === 416) throw new SourceChangedError(`${withoutQuery(url.href)} has changed.`);
  if (PASSING.has(status)) throw new Problem('busy', `${url.host} answers with status ${status}.`);
  if (status >= 300 && status < 400)
    throw unreadable(`${url.host} answers with a redirect${targetOf(url, headers.location)}, which is not followed.`);
  if (status !== 200 && status !== 206) throw unreadable(`${withoutQuery(url.href)} cannot be read: status ${status}.`);
}

function targetOf(url: URL, location: string | undefined): string {
  if (location === undefined || !URL.canParse(location, url.href)) return '';
  return ` to ${withoutQuery(new URL(location, url.href).href)}`;
}

const lengthOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

function rangeOf(text = ''): { offset: number; bytes: number | undefined } | undefined {
  const [, offset, bytes] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(text) ?? [];
  return offset === undefined ? undefined : { offset: Number(offset), bytes: lengthOf(bytes) };
}

async function* piecesOf(url: URL, answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* answer as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new Problem('busy', `${url.host} broke off its answer.`, { cause: error });
  }
}
