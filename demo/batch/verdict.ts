import { EXIT, type ExitCode } from '../../cli/exit-codes.ts';
import type { Shown, Submission } from './show-batch.ts';

const PROBLEMS_SHOWN = 20;

/** What is printed last of a batch, and the exit code of the demonstration. */
export interface Verdict {
  lines: string[];
  code: ExitCode;
}

/** Judges a batch that has ended: by the comparison with its file, and by its state. */
export function verdictOf({ batch, problems }: Shown, { compare }: Pick<Submission, 'compare'>): Verdict {
  if (problems.length > 0) {
    const shown = problems.slice(0, PROBLEMS_SHOWN).map((problem) => `  ${problem}`);
    return { lines: [`NOT as it has to be (points: ${problems.length}):`, ...shown], code: EXIT.failed };
  }
  if (batch.state === 'suspect')
    return { lines: ['Correct the file, or name the workload that it is for: --workload W'], code: EXIT.suspect };
  const checked = compare ? 'equal to the totals computed straight from the input.' : 'no item is lost.';
  return { lines: [`Checked: ${checked}`], code: EXIT.done };
}
