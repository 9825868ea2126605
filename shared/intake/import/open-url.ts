/** Opens an https address as the source of an import: without redirects, only at public addresses, and with time limits. */
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

/** Maximum time without a byte, from the start of the connection. */
const SILENCE_MS = 30_000;
/** Statuses after which a later request may succeed. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);
/** Codes of errors that a retry cannot resolve: unknown host, invalid certificate. */
const LASTING = /^(?:ENOTFOUND|ERR_TLS_.*|.*CERT.*|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;

export interface UrlDeps {
  /** Defaults to `request` of node:https. */
  request?: (
    url: URL,
    options: RequestOptions,
    answered: (answer: IncomingMessage) => void,
  ) => ReturnType<typeof httpsRequest>;
  lookup?: RequestOptions['lookup'];
  silenceMs?: number;
}

/** Creates a source that reads an https address, which `allowedSource` has checked. */
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
    // Requests the stored bytes: a range of a content coding that is created on the fly is meaningless.
    'accept-encoding': 'identity',
    'user-agent': 'sluice',
    ...(offset === 0 ? {} : { range: `bytes=${offset}-` }),
    ...(etag === undefined ? {} : { 'if-match': etag }),
  };
  return new Promise((answered, failed) => {
    // Without an agent, no connection is reused whose host name was resolved earlier.
    const asked = request(
      url,
      { method: 'GET', agent: false, headers, lookup, timeout: silenceMs, ...(signal ? { signal } : {}) },
      answered,
    );
    asked.on('timeout', () => asked.destroy(new Error(`No data was received for ${silenceMs / 1000} s.`)));
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
      throw unreadable(`${url.host} responded with another range than was requested.`);
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
  if (PASSING.has(status)) throw new Problem('busy', `${url.host} responded with status ${status}.`);
  if (status >= 300 && status < 400)
    throw unreadable(
      `${url.host} responded with a redirect${targetOf(url, headers.location)}. Redirects are not followed.`,
    );
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
    throw new Problem('busy', `${url.host} closed the connection before the end of its response.`, { cause: error });
  }
}
