import type { Command } from 'commander';
import { type Api, createApi } from './api/client.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import { type CliSettings, type GlobalOptions, readCliSettings } from './settings.ts';
import { toLine } from './text/printable.ts';
import type { Screen } from './text/status-line.ts';

/** What a command works with. */
export interface Session {
  io: Io;
  settings: CliSettings;
  api: Api;
  /** For progress: nowhere with --quiet. */
  screen: Screen;
  /** Lines of what was asked for. */
  print(...lines: string[]): void;
  /** Lines beside it: nowhere with --quiet. */
  inform(...lines: string[]): void;
  /** Prints the value with --json, else the lines. */
  answer(value: unknown, lines: () => string[]): void;
}

/** A command without its parser. */
export type Action<A extends unknown[]> = (session: Session, ...args: A) => Promise<ExitCode>;

/** Makes of an action what commander calls: with the command's arguments, its options, and the command itself. */
export type Act = <A extends unknown[]>(action: Action<A>) => (...all: [...A, Command]) => Promise<void>;

/** Throws UsageError for settings that cannot be used. */
export function createSession(io: Io, options: GlobalOptions): Session {
  const settings = readCliSettings(io.env, options);
  const print: Session['print'] = (...lines) => void io.stdout.write(lines.map(toLine).join(''));
  const silent: Screen = { write: () => true };
  const screen = settings.quiet ? silent : io.stderr;
  return {
    io,
    settings,
    api: createApi(settings, io.fetch),
    screen,
    print,
    inform: (...lines) => void screen.write(lines.map(toLine).join('')),
    answer: (value, lines) => {
      if (settings.json) io.stdout.write(`${JSON.stringify(value)}\n`);
      else print(...lines());
    },
  };
}
