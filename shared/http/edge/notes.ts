/** What people should know about a queue or a batch, written once: the dashboard and the CLI show these texts. */
import { z } from 'zod';
import { NO_REASON } from '../../pauses.ts';

export const noteSchema = z.object({
  tone: z
    .enum(['bad', 'warn', 'info'])
    .describe('bad: needs an operator; warn: work waits or is slower; info: as meant'),
  text: z.string().describe('A sentence without a capital letter and a full stop; its times are in UTC'),
  queue: z.string().optional().describe('A queue that the text names, for a link'),
});
export type Note = z.infer<typeof noteSchema>;

export const info = (text: string): Note => ({ tone: 'info', text });
export const warn = (text: string): Note => ({ tone: 'warn', text });
export const bad = (text: string): Note => ({ tone: 'bad', text });

/** Returns the notes that apply. */
export const notesOf = (...notes: readonly (Note | false | null | undefined)[]): Note[] =>
  notes.filter((note): note is Note => Boolean(note));

/** Formats a time: "2026-11-23 14:03:22 UTC". */
export const timeText = (iso: string): string => `${iso.slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replace('T', ' ')} UTC`;

/** Formats a count with its noun: "1 batch", "2,000 batches". The plural defaults to the noun with an s. */
export const numberText = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

const PAUSERS = { operator: 'an operator', circuit: 'the circuit', halt: 'the halt rule of its workload' } as const;

interface Pause {
  by: keyof typeof PAUSERS;
  reason: string;
  since: string;
  until?: string | undefined;
}

/** Describes a pause: its cause, its reason, when it began and when it ends. */
export function pauseText({ by, reason, since, until }: Pause): string {
  const end = until === undefined ? '' : ` until ${timeText(until)}`;
  const why = reason === NO_REASON ? '' : `: ${reason}`;
  return `paused by ${PAUSERS[by]} since ${timeText(since)}${end}${why}`;
}
