import type { Explored } from './explore.ts';

/** One line per scenario, so that a run reports how much it has explored. */
export function report(subject: string, scenario: string, explored: Explored): void {
  const { states, transitions, depth, complete } = explored;
  console.info(
    `${subject}: ${scenario}: ${states} states, ${transitions} steps, depth ${depth}, ${complete ? 'all' : 'cut off'}`,
  );
}
