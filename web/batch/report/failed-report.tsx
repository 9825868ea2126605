import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { redriveReport } from '../../api/dead-letters.ts';
import { plain } from '../../format.ts';
import { useAction } from '../../live/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ErrorBox } from '../../ui/states.tsx';

export interface FailedReportProps {
  id: string;
  problem: string;
  onChange: () => void;
}

/** Why the report of the newest revision could not be made, and a button that makes it again. */
export function FailedReport({ id, problem, onChange }: FailedReportProps): JSX.Element {
  const deed = useAction();
  // One key per attempt: a click after a lost answer makes nothing twice.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const run = async (): Promise<void> => {
    if (!(await deed.run(() => redriveReport(id, key)))) return;
    setKey(crypto.randomUUID());
    onChange();
  };
  return (
    <div class="notice bad">
      <Icon name="warning" />
      <div>
        <strong>The report failed</strong>
        <p class="cause-text">
          <bdi>{plain(problem)}</bdi>
        </p>
        <p class="soft">
          All results are there. Fix the workload and deploy it, then make the report again: no item runs again, and the
          deployed code makes it of these results.
        </p>
        {deed.error && <ErrorBox error={deed.error} />}
        <Button icon="redo" size="small" busy={deed.busy} onClick={() => void run()}>
          Make the report again
        </Button>
      </div>
    </div>
  );
}
