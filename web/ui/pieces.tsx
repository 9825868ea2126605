import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { BatchView } from '../api/types.ts';
import { formatName, plain } from '../format.ts';
import { queueHref } from '../routing.ts';

/** A figure with its name. */
export function Stat(props: {
  name: string;
  value: ComponentChildren;
  note?: ComponentChildren;
  tone?: string;
}): JSX.Element {
  return (
    <div class={`stat ${props.tone ?? ''}`}>
      <dt>{props.name}</dt>
      <dd>
        <span class="stat-value">{props.value}</span>
        {props.note !== undefined && <span class="stat-note">{props.note}</span>}
      </dd>
    </div>
  );
}

/** A word in a coloured field. */
export function Tag({ tone, children }: { tone: string; children: ComponentChildren }): JSX.Element {
  return <span class={`tag ${tone}`}>{children}</span>;
}

type State = BatchView['state'];

/** The tone of each state of a batch, in the order of the states. */
export const TONES: Readonly<Record<State, string>> = {
  enqueueing: 'info',
  queued: 'info',
  running: 'busy',
  paused: 'warn',
  cancelling: 'off',
  completed: 'good',
  completedWithDeadLetters: 'warn',
  suspect: 'bad',
  cancelled: 'off',
  reportFailed: 'bad',
};

/** The state of a batch, and whether its work cannot continue. */
export const StateTag = ({ state, blocked }: Pick<BatchView, 'state' | 'blocked'>): JSX.Element => (
  <Tag tone={blocked ? 'warn' : TONES[state]}>{blocked ? `${formatName(state)}, blocked` : formatName(state)}</Tag>
);

/** A framed part of a page. */
export function Panel(props: { title: string; aside?: ComponentChildren; children: ComponentChildren }): JSX.Element {
  return (
    <section class="panel">
      <header>
        <h2>{props.title}</h2>
        {props.aside}
      </header>
      {props.children}
    </section>
  );
}

export interface Part {
  name: string;
  value: number;
  tone: string;
}

/** A bar of the parts of a whole. Parts above zero are always visible. */
export function PartsBar({ parts, label }: { parts: readonly Part[]; label: string }): JSX.Element {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  return (
    <div class="parts-bar" role="img" aria-label={label}>
      {parts
        .filter(({ value }) => value > 0)
        .map(({ name, value, tone }) => (
          <span key={name} class={`fill-${tone}`} style={{ flexGrow: String(value / (total || 1)) }} />
        ))}
    </div>
  );
}

/** The heading of a page with its actions; also sets the title of the browser tab. */
export function PageHead(props: {
  title: ComponentChildren;
  /** Title of the browser tab; defaults to `title` if that is text. */
  tabTitle?: string;
  note?: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  const name = props.tabTitle ?? (typeof props.title === 'string' ? props.title : '');
  useEffect(() => {
    document.title = name === '' ? 'Sluice' : `${name} · Sluice`;
  }, [name]);
  return (
    <div class="page-head">
      <div>
        <h1>{props.title}</h1>
        {props.note && <p>{props.note}</p>}
      </div>
      {props.children && <div class="page-actions">{props.children}</div>}
    </div>
  );
}

export interface LabelsProps {
  labels: Readonly<Record<string, string>>;
  /** Receives `key=value` of a label that was clicked. If absent, labels are not clickable. */
  onChoose?: (label: string) => void;
}

/** The labels of a batch. */
export function Labels({ labels, onChoose }: LabelsProps): JSX.Element {
  const texts = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return (
    <span class="labels">
      {texts.map((text) =>
        onChoose ? (
          <button key={text} type="button" title="Only batches with this label" onClick={() => onChoose(text)}>
            <bdi>{plain(text)}</bdi>
          </button>
        ) : (
          <bdi key={text}>{plain(text)}</bdi>
        ),
      )}
    </span>
  );
}

/** A link to the page of a queue. */
export const QueueLink = ({ queue }: { queue: string }): JSX.Element => (
  <a class="mono" href={queueHref(queue)}>
    {queue}
  </a>
);
