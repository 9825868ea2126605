import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { redriveLetters } from '../../api/dead-letters.ts';
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

/** Why the report of the newest revision failed, and a button that builds it again. */
export function FailedReport({ id, problem, onChange }: FailedReportProps): JSX.Element {
  const building = useAction();
  // One key per attempt: another click after a lost response does not build the report twice.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const run = async (): Promise<void> => {
    if (!(await building.run(() => redriveLetters(id, { report: true }, key)))) return;
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
          All results are stored. Fix and deploy the workload, then build the report again. No item runs again: the
          deployed code builds the report from the stored results.
        </p>
        {building.error && <ErrorBox error={building.error} />}
        <Button icon="redo" size="small" busy={building.busy} onClick={() => void run()}>
          Build the report again
        </Button>
      </div>
    </div>
  );
}
