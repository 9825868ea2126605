import { relative } from 'node:path';
import { EXIT, type ExitCode } from '../../cli/process/exit-codes.ts';
import { sourceFlagsText } from '../../cli/try/flags-text.ts';
import { shellFile } from '../../shared/shell-word.ts';
import type { Shown } from './show-batch.ts';
import type { Submission } from './submission.ts';

const PROBLEMS_SHOWN = 20;
const COMMAND = 'npm run --silent sluice --';

/** What is printed last of a batch, and the exit code of the demonstration. */
export interface Verdict {
  lines: string[];
  code: ExitCode;
}

/** Judges a batch that has ended: by the comparison with its file, and by its state. Says what may help. */
export function verdictOf({ batch, problems }: Shown, submission: Submission): Verdict {
  const { workload, compare } = submission;
  const file = shellFile(relative(process.cwd(), submission.file));
  if (problems.length > 0) {
    const shown = problems.slice(0, PROBLEMS_SHOWN).map((problem) => `  ${problem}`);
    const hint = batch.reportProblem === undefined ? [] : reportHint(batch.id, workload);
    return { lines: [`NOT as it has to be (points: ${problems.length}):`, ...shown, ...hint], code: EXIT.failed };
  }
  if (batch.state === 'suspect') {
    return {
      lines: [
        'The batch is suspect: none of its first items fits the schema of the workload; the causes are above.',
        'Correct the file or the schema, or name the workload that it is for (--workload W). What is wrong, line by line:',
        `  ${[COMMAND, 'try', file, '--workload', workload, ...sourceFlagsText(submission.csv)].join(' ')}`,
      ],
      code: EXIT.suspect,
    };
  }
  if (batch.counts.accepted > 0 && batch.counts.succeeded === 0 && compare === undefined) {
    const lines = ['No item succeeded. Why:', `  ${COMMAND} dead-letters ${batch.id}`];
    return { lines, code: EXIT.deadLetters };
  }
  const checked = compare ? 'equal to the totals computed straight from the input.' : 'no item is lost.';
  return { lines: [`Checked: ${checked}`], code: EXIT.done };
}

const reportHint = (id: string, workload: string): string[] => [
  `Correct reduce of the workload ${workload}. With that code on the same data (npm start -- --keep, or npm run dev), the report is made by:`,
  `  ${COMMAND} redrive ${id}`,
];
