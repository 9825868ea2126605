import type { Command } from 'commander';
import type { BatchList } from '../../shared/http/batches/list-schemas.ts';
import { queueNamesOf } from '../names/queue-name.ts';
import { workloadsOf } from '../names/workload.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { chooseProfile } from '../profiles/choose.ts';
import { readProfiles } from '../profiles/store.ts';
import { createSession, type Session } from '../session.ts';
import { formatTime } from '../text/format.ts';
import { type Candidate, type Offer, offerFor, type Source } from './candidates.ts';

/** The first argument that completion scripts pass. It is not declared as a command, because users do not type it. */
export const COMPLETE = '__complete';

/** Maximum wait for the app: after that, typing the word is faster. */
const PATIENCE_MS = 2_000;

/**
 * Prints one line per candidate: the word, a tab, its description. The line `:files` requests that the shell offers files. If the
 * app does not answer, candidates that it would provide are omitted.
 */
export async function printCompletions(program: Command, words: readonly string[], io: Io): Promise<ExitCode> {
  const line = words.at(-1) === '=' ? [...words, ''] : words;
  const offer = offerFor(program, line);
  const typed = line.at(-1) ?? '';
  const named = await Promise.all(offer.sources.map((source) => ask(source, offer, io).catch(() => [])));
  const found = [...offer.candidates, ...named.flat().filter(({ word }) => word.startsWith(typed))];
  const lines = found.map(({ word, meaning }) => (meaning === undefined ? word : `${word}\t${meaning}`));
  if (offer.sources.includes('files')) lines.push(':files');
  io.stdout.write(lines.map((line) => `${line}\n`).join(''));
  return EXIT.done;
}

async function ask(source: Source, { values }: Offer, io: Io): Promise<Candidate[]> {
  if (source === 'files') return [];
  if (source === 'profiles')
    return Object.entries((await readProfiles(io)).profiles).map(([word, { url }]) => ({ word, meaning: url }));
  const impatient: typeof fetch = (url, request) =>
    io.fetch(url, { ...request, signal: AbortSignal.timeout(PATIENCE_MS) });
  const session = createSession({ ...io, fetch: impatient }, values, await chooseProfile(io, values));
  if (source === 'workloads') return (await workloadsOf(session)).map((word) => ({ word }));
  if (source === 'queues') return (await queueNamesOf(session)).map((word) => ({ word }));
  return batchesOf(session);
}

async function batchesOf({ api }: Session): Promise<Candidate[]> {
  const { batches } = await api.json<BatchList>({ path: 'batches', query: { limit: 50 } });
  return batches.map(({ id, workload, state, createdAt }) => ({
    word: id,
    meaning: `${workload}, ${state}, ${formatTime(createdAt)}`,
  }));
}
