/** The media types of answers, and their choice by the client: `?format=`, otherwise `Accept`, otherwise the first offered. */
import type { HttpRequest } from '@azure/functions';
import { oneOf } from './request/parameters.ts';

export const MEDIA_TYPES = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
} as const;
export type Format = keyof typeof MEDIA_TYPES;

/** Returns one of the `offered` formats. An Accept header that fits none of them selects the first (RFC 9110, 12.5.1). */
export function answerFormat<F extends Format>(request: HttpRequest, offered: readonly [F, ...F[]]): F {
  return oneOf(request, 'format', offered) ?? acceptedFormat(request.headers.get('accept') ?? '', offered);
}

function acceptedFormat<F extends Format>(accept: string, offered: readonly [F, ...F[]]): F {
  const ranked = accept
    .split(',')
    .map(readRange)
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q);
  const formats = ranked.map(({ mediaType }) => offered.find((format) => isOf(format, mediaType)));
  return formats.find((format) => format !== undefined) ?? offered[0];
}

/** `application/ndjson` is another name of the type. */
const isOf = (format: Format, mediaType: string): boolean =>
  mediaType === '*/*' || MEDIA_TYPES[format].split(';')[0] === mediaType.replace('/ndjson', '/x-ndjson');

function readRange(text: string): { mediaType: string; q: number } {
  const [mediaType = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return { mediaType, q: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
}
