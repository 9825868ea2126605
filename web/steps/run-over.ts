import { toApiError } from '../api/http/errors.ts';

/** How far one of many things has come, and with what result. */
export interface Step {
  state: 'waiting' | 'running' | 'done' | 'failed' | 'left';
  result: string;
}

export interface RunOptions<T> {
  subjects: readonly T[];
  /** Does it to one subject, and returns the result in words. */
  work: (subject: T) => Promise<string>;
  /** Subjects at the same time; default 1. */
  atOnce?: number;
  /** Asked before each subject; true leaves it and those after it alone. */
  isStopped?: () => boolean;
  onSteps: (steps: readonly Step[]) => void;
}

/** Does the same to many subjects in their order; a failure of one does not keep the others from it. */
export async function runOver<T>(options: RunOptions<T>): Promise<void> {
  const { subjects, work, atOnce = 1, isStopped = () => false, onSteps } = options;
  const steps: Step[] = subjects.map(() => ({ state: 'waiting', result: '' }));
  const set = (at: number, step: Step): void => {
    steps[at] = step;
    onSteps([...steps]);
  };
  const runOne = async (at: number, subject: T): Promise<void> => {
    if (isStopped()) return set(at, { state: 'left', result: 'Left alone' });
    set(at, { state: 'running', result: '' });
    try {
      set(at, { state: 'done', result: await work(subject) });
    } catch (error) {
      const { title, message } = toApiError(error);
      set(at, { state: 'failed', result: message || title });
    }
  };
  const waiting = [...subjects.entries()];
  const runAll = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runOne(...next);
  };
  await Promise.all(Array.from({ length: atOnce }, runAll));
}

/** Whether nothing of it waits or runs any more. */
export const areOver = (steps: readonly Step[]): boolean => steps.every(isOver);

/** Whether a step has come to its end. */
export const isOver = ({ state }: Step): boolean => state !== 'waiting' && state !== 'running';
