import { toApiError } from '../api/errors.ts';

/** The progress and result of one of many steps. */
export interface Step {
  state: 'waiting' | 'running' | 'done' | 'failed' | 'skipped';
  result: string;
}

export interface RunOptions<T> {
  subjects: readonly T[];
  /** Processes one subject, and returns the result as text. */
  work: (subject: T) => Promise<string>;
  /** Number of subjects processed at the same time; defaults to 1. */
  atOnce?: number;
  /** Called before each subject; true skips it and all later ones. */
  isStopped?: () => boolean;
  onSteps: (steps: readonly Step[]) => void;
}

/** Applies the same work to many subjects in order; a failure of one does not stop the others. */
export async function runOver<T>(options: RunOptions<T>): Promise<void> {
  const { subjects, work, atOnce = 1, isStopped = () => false, onSteps } = options;
  const steps: Step[] = subjects.map(() => ({ state: 'waiting', result: '' }));
  const set = (at: number, step: Step): void => {
    steps[at] = step;
    onSteps([...steps]);
  };
  const runOne = async (at: number, subject: T): Promise<void> => {
    if (isStopped()) return set(at, { state: 'skipped', result: 'Skipped' });
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

/** Whether all steps are finished. */
export const areOver = (steps: readonly Step[]): boolean => steps.every(isOver);

/** Whether a step is finished. */
export const isOver = ({ state }: Step): boolean => state !== 'waiting' && state !== 'running';
