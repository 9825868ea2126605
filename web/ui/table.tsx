import type { ComponentChildren, JSX } from 'preact';

export interface Column<T> {
  /** Its header, and on a phone the label of its cells. */
  title: string;
  /** `main-cell`, `text-cell` and `actions` have no label on a phone. */
  kind?: 'number' | 'main-cell' | 'text-cell' | 'wide-cell' | 'actions';
  cell: (row: T) => ComponentChildren;
  hint?: (row: T) => string | undefined;
}

export interface TableProps<T> {
  look?: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string | number;
  rowLook?: (row: T) => string;
  children?: ComponentChildren;
}

/** A table whose rows become cards on a phone. The children follow its rows. */
export const Table = <T,>({ look = '', columns, rows, keyOf, rowLook, children }: TableProps<T>): JSX.Element => (
  <table class={`table stacking ${look}`}>
    <thead>
      <tr>
        {columns.map(({ title, kind }) => (
          <th key={title} class={kind === 'number' || kind === 'wide-cell' ? kind : ''}>
            {kind === 'actions' ? <span class="unseen">{title}</span> : title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)} class={rowLook?.(row)}>
          {columns.map(({ title, kind = '', cell, hint }) => (
            <td key={title} class={kind} title={hint?.(row)} data-label={hasLabel(kind) ? title : undefined}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
    {children}
  </table>
);

const hasLabel = (kind: string): boolean => kind === '' || kind === 'number' || kind === 'wide-cell';

/** A value as text; a dash if it is not known. */
export const known = <V,>(value: V | null | undefined, format: (value: V) => string): ComponentChildren =>
  value === null || value === undefined ? <span class="soft">–</span> : format(value);
