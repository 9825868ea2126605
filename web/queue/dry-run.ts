/** Computes the recorded waves of a queue under another policy. Pure. */
import { countTasks } from '../../shared/gate/planning/count-tasks.ts';
import type { PolicyView, QueueDetails, WaveView } from '../api/types.ts';

type Policy = PolicyView['policy'];
type Queue = Pick<QueueDetails, 'lane' | 'itemsPerReference' | 'waves'>;

/**
 * Bounds that no policy removes. If a wave lacks one of them, it is only known that the bound was not below its tasks.
 */
const OTHERS: readonly WaveView['bound'][] = ['throttling', 'limits', 'saturation', 'pool'];

/**
 * Computes the tasks of each recorded wave under a policy, by the rule of the drains. A wave with another bound gets no
 * more tasks than it had, because its possible maximum is not recorded.
 */
export const tasksUnder = ({ lane, itemsPerReference, waves }: Queue, policy: Policy): number[] =>
  waves.map((wave) => {
    if (wave.bound === 'probe' || wave.bound === 'collector') return wave.tasks;
    const { depth, late, secondsPerReference } = wave;
    const most = OTHERS.includes(wave.bound) ? wave.tasks : Number.POSITIVE_INFINITY;
    const { tasks } = countTasks({
      ...{ depth, late, itemsPerReference, secondsPerReference, policy, bulk: lane === 'bulk' },
      ...{ taskLimit: 0, fedTasks: most, saturationLimit: Number.POSITIVE_INFINITY, room: Number.POSITIVE_INFINITY },
    });
    return tasks;
  });

/** Summarizes the effect of a policy change on the recorded waves. */
export function compareTasks(present: readonly number[], edited: readonly number[]): string {
  const changed = edited.filter((tasks, wave) => tasks !== present[wave]).length;
  const waves = present.length === 1 ? 'last wave' : `last ${present.length} waves`;
  if (changed === 0)
    return present.length === 1 ? 'The same tasks in the last wave.' : `The same tasks in each of the ${waves}.`;
  const sum = (tasks: readonly number[]): number => tasks.reduce((all, each) => all + each, 0);
  return `Other tasks in ${changed} of the ${waves}: ${sum(edited)} instead of ${sum(present)} in all, at most ${Math.max(...edited)} instead of ${Math.max(...present)} at a time.`;
}
