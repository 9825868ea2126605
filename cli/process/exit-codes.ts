/** The exit codes of the command; docs/cli.md and `--help` repeat this table. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  deadLetters: 5,
  cancelled: 6,
  timeout: 7,
  reportFailed: 8,
  suspect: 9,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meanings of the exit codes, as `--help` shows them. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'failed: no answer, an error of the app, an unreadable file, a finding of doctor; you can repeat the command',
  usage: 'the command line is invalid; no request was sent',
  notFound: 'the workload, batch, queue or report does not exist',
  refused: 'the app refused the request; the message contains the reason',
  deadLetters: 'watch, --wait: the batch has dead letters; try: some items are invalid or failed',
  cancelled: 'watch, --wait: the batch was cancelled',
  timeout: 'watch, --wait: not finished within --timeout; the batch continues',
  reportFailed: 'watch, --wait, try --run: the report failed',
  suspect: 'watch, --wait, try: none of the first items is valid; the file or the schema is probably wrong',
};
