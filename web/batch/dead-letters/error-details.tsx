import type { JSX } from 'preact';
import type { DeadLetter } from '../../api/types.ts';
import { formatNumberOf, plain } from '../../format.ts';

type LetterError = DeadLetter['error'];
type Cause = NonNullable<LetterError['causes']>[number];

/** The details of an error beside its message: schema issues, stack and cause. */
export function ErrorDetails({ error }: { error: LetterError }): JSX.Element | null {
  const { issues = [], moreIssues = 0, stack = [], causes = [] } = error;
  // A single issue is already the message.
  const listed = issues.length + moreIssues > 1 ? issues : [];
  if (listed.length + stack.length + causes.length === 0) return null;
  return (
    <details class="error-details">
      <summary>{summaryOf(listed.length > 0 ? listed.length + moreIssues : 0, stack.length, causes.length)}</summary>
      {listed.length > 0 && (
        <ul class="issues">
          {listed.map(({ path, message }, index) => (
            <li key={index}>
              {path !== '' && <code>{plain(path)}</code>} <bdi>{plain(message)}</bdi>
            </li>
          ))}
          {moreIssues > 0 && <li>and {formatNumberOf(moreIssues, 'more issue')}</li>}
        </ul>
      )}
      <Frames stack={stack} />
      {causes.map((cause, index) => (
        <CauseOf key={index} cause={cause} />
      ))}
    </details>
  );
}

const summaryOf = (issues: number, frames: number, causes: number): string =>
  [
    ...(issues > 0 ? [formatNumberOf(issues, 'issue')] : []),
    ...(frames > 0 ? ['Stack trace'] : []),
    ...(causes > 0 ? [formatNumberOf(causes, 'cause')] : []),
  ].join(' · ');

const CauseOf = ({ cause: { name, message, code, stack = [] } }: { cause: Cause }): JSX.Element => (
  <>
    <p class="letter-error">
      <bdi>{plain(`Caused by ${name}${code === undefined ? '' : ` (${code})`}: ${message}`)}</bdi>
    </p>
    <Frames stack={stack} />
  </>
);

const Frames = ({ stack }: { stack: readonly string[] }): JSX.Element | null =>
  stack.length === 0 ? null : <code class="frames">{stack.map((frame) => `at ${plain(frame)}`).join('\n')}</code>;
