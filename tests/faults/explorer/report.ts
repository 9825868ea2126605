import type { Explored } from './explore.ts';

/** One line a scenario, so that a run says how much it has looked at. */
export function report(subject: string, scenario: string, explored: Explored): void {
  const { states, transitions, depth, complete } = explored;
  console.info(
    `${subject}: ${scenario}: ${states} states, ${transitions} steps, depth ${depth}, ${complete ? 'all' : 'cut off'}`,
  );
}
