import type { InboxFile } from '../api/types.ts';
import { formatBytes, formatCount, formatNumberOf, formatPercent, formatPlace } from '../format.ts';

const FAULTS_SHOWN = 10;

/** Returns how much of a file is read, from 0 to 1; undefined if unknown, because its blob contains only an address. */
export function readFraction({ state, bytes, readBytes, readItems }: InboxFile): number | undefined {
  if (state !== 'taking' || readBytes === undefined || readItems === undefined || bytes === 0) return undefined;
  return Math.min(1, readBytes / bytes);
}

/** Returns the progress of a file as text; empty if nothing has read it yet. */
export function progressText(file: InboxFile): string {
  const { state, bytes, readBytes = 0, readItems } = file;
  if (state !== 'taking') return '';
  const fraction = readFraction(file);
  if (fraction === undefined) return `${formatBytes(readBytes)} copied`;
  const of = `${formatBytes(readBytes)} of ${formatBytes(bytes)}, ${formatPercent(fraction)}`;
  return `${of} · ${formatNumberOf(readItems ?? 0, 'item')}`;
}

/** Returns why a file was rejected, one line per place in it. */
export function reasonLines({ state, reason }: InboxFile): string[] {
  if (state !== 'rejected') return [];
  if (reason === undefined) return ['The reason was removed.'];
  const { detail, errors } = reason;
  const shown = errors.slice(0, FAULTS_SHOWN).filter(({ message }) => !detail.includes(message));
  const places = shown.map((at) => `At ${formatPlace(at)}: ${at.message}`);
  const more = errors.length > FAULTS_SHOWN ? [`and ${formatCount(errors.length - FAULTS_SHOWN)} more`] : [];
  return [detail, ...places, ...more];
}
