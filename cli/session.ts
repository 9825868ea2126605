import type { Command } from 'commander';
import { type Api, createApi } from './api/client.ts';
import { colorStates, hasColors } from './process/colors.ts';
import type { ExitCode } from './process/exit-codes.ts';
import type { Io } from './process/io.ts';
import type { Screen } from './process/status-line.ts';
import type { Profile } from './profiles/store.ts';
import { type CliSettings, type GlobalOptions, type OutputForm, readCliSettings } from './settings.ts';
import { type Column, listCsv, listTable } from './text/listing.ts';
import { toLine } from './text/printable.ts';

export interface Session {
  io: Io;
  settings: CliSettings;
  given: GlobalOptions;
  api: Api;
  /** For progress; discards it with --quiet. */
  screen: Screen;
  print(...lines: string[]): void;
  /** Prints remarks on standard error; nothing with --quiet. */
  inform(...lines: string[]): void;
  /** Prints the value with --json, otherwise the lines. */
  answer(value: unknown, lines: () => string[]): void;
  /** Prints entries as a table or CSV, or with --json the value. `none` replaces an empty table. */
  list<T>(value: unknown, list: { entries: readonly T[]; columns: readonly Column<T>[]; none?: string }): void;
}

/** The action of a command, independent of the parser. */
export type Action<A extends unknown[]> = (session: Session, ...args: A) => Promise<ExitCode>;

/**
 * Converts an action to a handler for commander, which passes the arguments, the options and the command itself. `forms` are
 * the allowed values of --output; defaults to table and json.
 */
export type Act = <A extends unknown[]>(
  action: Action<A>,
  forms?: readonly OutputForm[],
) => (...all: [...A, Command]) => Promise<void>;

/** Creates a session. Throws UsageError for invalid settings. */
export function createSession(io: Io, given: GlobalOptions, profile?: Profile): Session {
  const settings = readCliSettings(io.env, given, profile);
  const isColored = hasColors(io.env, io.stdout, given.color);
  const print: Session['print'] = (...lines) => {
    const text = lines.map(toLine).join('');
    io.stdout.write(isColored ? colorStates(text) : text);
  };
  const silent: Screen = { write: () => true };
  const screen = settings.quiet ? silent : io.stderr;
  const answer: Session['answer'] = (value, lines) => {
    if (settings.json) io.stdout.write(`${JSON.stringify(value)}\n`);
    else print(...lines());
  };
  return {
    io,
    settings,
    given,
    api: createApi(settings, io.fetch),
    screen,
    print,
    inform: (...lines) => void screen.write(lines.map(toLine).join('')),
    answer,
    list: (value, { entries, columns, none }) => {
      if (settings.output === 'csv') io.stdout.write(listCsv(columns, entries));
      else answer(value, () => (entries.length === 0 && none ? [none] : listTable(columns, entries)));
    },
  };
}
