import { type Client, createClient, keysByAudience } from '../../shared/client/index.ts';
import { Unreachable } from '../process/errors.ts';
import type { CliSettings } from '../settings.ts';
import { ApiProblem } from './problem.ts';

/** The pipeline's HTTP API. Every call throws ApiProblem if the app refuses it, and Unreachable if no app answers. */
export type Api = Client;

/** Creates a client of the app at `settings.url`. */
export const createApi = (
  settings: Pick<CliSettings, 'url' | 'key' | 'operatorKey'> & Partial<Pick<CliSettings, 'operator'>>,
  fetcher: typeof fetch,
): Api =>
  createClient({
    api: `${settings.url}/api`,
    key: keysByAudience({ client: settings.key, operator: settings.operatorKey }),
    operator: settings.operator,
    headers: { 'user-agent': 'sluice-cli' },
    fetch: async (url, request) => {
      try {
        return await fetcher(url, request);
      } catch (error: unknown) {
        throw unreachable(String(url), error);
      }
    },
    refused: (refusal) => new ApiProblem(refusal),
  });

/** Converts a failed connection into an error that says what to do. */
export function unreachable(url: string, error: unknown): Unreachable {
  const { host } = new URL(url);
  const code = codeOf(error);
  const hints: Readonly<Record<string, string>> = {
    ECONNREFUSED: isLoopback(url)
      ? 'Start the local stack with npm start, or give the address of another app with --url or SLUICE_URL.'
      : 'Check that the app is running, and that --url or SLUICE_URL is its address.',
    ENOTFOUND: 'There is no host with this name: check --url or SLUICE_URL.',
  };
  const reason = code ?? deepestMessage(error);
  const what = code !== undefined && code in hints ? `Nothing answers at ${host}` : `The connection to ${host} failed`;
  return new Unreachable(`${what} (${reason}).`, { hint: hints[code ?? ''], cause: error });
}

/** Whether the address belongs to this machine. */
export const isLoopback = (url: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);

const deepestMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : deepestMessage(error.cause);
};

/** Finds the error code: `fetch` hides it in the cause, which is an AggregateError if the host has several addresses. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : undefined;
}
