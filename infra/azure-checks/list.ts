/** What a run of the checks will show, for a person who has no deployment yet. */
import { CHECKS } from './checks.ts';
import { FACTS } from './facts.ts';

/** Formats each check with what it expects and the facts that it shows, and the facts that no check can show. */
export function checkList(): string {
  const checks = CHECKS.flatMap(({ id, about, expects }) => [
    `${id}: ${about}`,
    `  expects: ${expects}`,
    ...FACTS.filter(({ check }) => !('none' in check) && check.includes(id)).map(({ fact }) => `  shows: ${fact}`),
  ]);
  const rest = FACTS.flatMap(({ fact, check }) => ('none' in check ? [`- ${fact} (${check.none})`] : []));
  return [...checks, '', 'Not checked:', ...rest].join('\n');
}
