import type { JSX } from 'preact';
import type { QueueView } from '../api/types.ts';
import { formatClock, formatCount, formatDuration, formatNumberOf, plain } from '../format.ts';
import { limitNotes } from './limit-notes.ts';
import { probeText } from './probe-text.ts';

/** The unusual facts about a queue, as text. */
export function QueueNotes({ queue }: { queue: QueueView }): JSX.Element {
  return (
    <small class="notes">
      {notesOf(queue).map((note) => (
        <span key={note}>
          <bdi>{plain(note)}</bdi>
        </span>
      ))}
    </small>
  );
}

function notesOf(queue: QueueView): string[] {
  const {
    paused,
    startFailure,
    throttled,
    taskLimit,
    orphanedReferences,
    generation,
    policyVersion,
    secondsPerReference,
    status,
    limits,
    missedWakes,
  } = queue;
  return [
    ...(paused
      ? [
          `${paused.by === 'circuit' ? 'by the circuit' : 'by an operator'} since ${formatClock(paused.since)}${paused.until === undefined ? '' : ` until ${formatClock(paused.until)}`}: ${paused.reason}`,
        ]
      : []),
    ...[(paused && probeText(paused)) ?? []].flat(),
    ...(startFailure ? [`cannot be started since ${formatClock(startFailure.since)}: ${startFailure.error}`] : []),
    ...(limits ? limitNotes(limits) : []),
    ...(throttled > 0 ? [`${formatCount(throttled)} throttled responses in the last wave`] : []),
    ...(taskLimit > 0 ? [`limited to ${formatNumberOf(taskLimit, 'task')}`] : []),
    ...(missedWakes > 0 ? [formatNumberOf(missedWakes, 'missed wake')] : []),
    ...(orphanedReferences > 0 ? [`${formatCount(orphanedReferences)} references of batches that are gone`] : []),
    ...(generation > 0 ? [`${formatCount(generation)} ${generation === 1 ? 'drain' : 'drains'} so far`] : []),
    ...(status === 'draining' && secondsPerReference > 0
      ? [`${formatDuration(secondsPerReference * 1_000)} per chunk`]
      : []),
    ...(policyVersion > 0 ? [`policy ${policyVersion}`] : []),
  ];
}
