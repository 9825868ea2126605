import { styleText } from 'node:util';
import { BATCH_STATES, type BatchState } from '../../shared/batches/batch-row.ts';
import type { Environment } from './environment.ts';

/** Whether to colour the output to `stream`: in a terminal, or with FORCE_COLOR; never with NO_COLOR (no-color.org). */
export function hasColors(
  { NO_COLOR = '', FORCE_COLOR, TERM }: Environment,
  stream: { isTTY?: boolean },
  option: boolean | undefined,
): boolean {
  if (option === false || NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}

type Style = Parameters<typeof styleText>[0];
const paint = (style: Style, text: string): string => styleText(style, text, { validateStream: false });

const STYLES: Readonly<Record<BatchState, Style>> = {
  enqueueing: 'cyan',
  queued: 'cyan',
  running: 'cyan',
  paused: 'yellow',
  cancelling: 'yellow',
  completed: 'green',
  completedWithDeadLetters: 'yellow',
  suspect: 'red',
  cancelled: 'yellow',
  reportFailed: 'red',
};
/** Matches a state in the line `State: …`, or as a cell of a table. */
const STATE = new RegExp(`(^State: | {2})(${BATCH_STATES.join('|')})(?=$| {2})`, 'gm');

/** Colours the states of batches. The text must already be printable, so that only these colours are control sequences. */
export const colorStates = (text: string): string =>
  text.replace(STATE, (_, before: string, state: BatchState) => `${before}${paint(STYLES[state], state)}`);

/** Colours the line with the error of a command. */
export const colorFault = (text: string): string => text.replace(/^sluice:/, (name) => paint(['bold', 'red'], name));
