import { relative } from 'node:path';
import { EXIT, type ExitCode } from '../../cli/process/exit-codes.ts';
import { sourceFlagsText } from '../../cli/try/flags-text.ts';
import { shellFile } from '../../shared/shell-word.ts';
import type { Shown } from './show-batch.ts';
import type { Submission } from './submission.ts';

const PROBLEMS_SHOWN = 20;
const COMMAND = 'npm run --silent sluice --';

/** The last lines of output for a batch, and the exit code of the demo. */
export interface Verdict {
  lines: string[];
  code: ExitCode;
}

/** Judges a finished batch by its state and by the comparison with its file, and suggests what to do. */
export function verdictOf({ batch, problems }: Shown, submission: Submission): Verdict {
  const { workload, compare } = submission;
  const file = shellFile(relative(process.cwd(), submission.file));
  if (problems.length > 0) {
    const shown = problems.slice(0, PROBLEMS_SHOWN).map((problem) => `  ${problem}`);
    const hint = batch.reportProblem === undefined ? [] : reportHint(batch.id, workload);
    return { lines: [`NOT as expected (differences: ${problems.length}):`, ...shown, ...hint], code: EXIT.failed };
  }
  if (batch.state === 'suspect') {
    return {
      lines: [
        'The batch is suspect: none of its first items fits the schema of the workload; the causes are above.',
        'Correct the file or the schema, or specify its workload (--workload W). To list the errors by line:',
        `  ${[COMMAND, 'try', file, '--workload', workload, ...sourceFlagsText(submission.csv)].join(' ')}`,
      ],
      code: EXIT.suspect,
    };
  }
  if (batch.counts.accepted > 0 && batch.counts.succeeded === 0 && compare === undefined) {
    const lines = ['No item succeeded. Why:', `  ${COMMAND} dead-letters ${batch.id}`];
    return { lines, code: EXIT.deadLetters };
  }
  const checked = compare ? 'equal to the totals computed directly from the input.' : 'no item is lost.';
  return { lines: [`Checked: ${checked}`], code: EXIT.done };
}

const reportHint = (id: string, workload: string): string[] => [
  `Fix reduce of the workload ${workload}. Then start it with the same data (npm start -- --keep, or npm run dev) and create the report:`,
  `  ${COMMAND} redrive ${id}`,
];
