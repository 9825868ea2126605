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

/** What a command works with. */
export interface Session {
  io: Io;
  settings: CliSettings;
  /** The options that every command has, as they were given. */
  given: GlobalOptions;
  api: Api;
  /** For progress: nowhere with --quiet. */
  screen: Screen;
  /** Lines of what was asked for. */
  print(...lines: string[]): void;
  /** Lines beside it: nowhere with --quiet. */
  inform(...lines: string[]): void;
  /** Prints the value with --json, else the lines. */
  answer(value: unknown, lines: () => string[]): void;
  /** Prints entries as a table or CSV, or with --json the value; `none` is said of an empty table. */
  list<T>(value: unknown, list: { entries: readonly T[]; columns: readonly Column<T>[]; none?: string }): void;
}

/** A command without its parser. */
export type Action<A extends unknown[]> = (session: Session, ...args: A) => Promise<ExitCode>;

/**
 * Makes of an action what commander calls: with the command's arguments, its options, and the command itself. `forms` are
 * what --output may be, default table and json.
 */
export type Act = <A extends unknown[]>(
  action: Action<A>,
  forms?: readonly OutputForm[],
) => (...all: [...A, Command]) => Promise<void>;

/** Throws UsageError for settings that cannot be used. */
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
