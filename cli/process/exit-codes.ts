/** How the command ends; docs/cli.md and `--help` repeat this table. */
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

/** What each code means, as `--help` says it. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'failed: no answer, a fault of the app, a broken file; may be repeated',
  usage: 'the command line is wrong; nothing was sent',
  notFound: 'there is no such workload, batch, queue or report',
  refused: 'the app refused the request, and says why',
  deadLetters: 'watch, --wait: the batch ended with dead letters; try: some items are invalid or failed',
  cancelled: 'watch, --wait: the batch was cancelled',
  timeout: 'watch, --wait: not ended within --timeout; it goes on',
  reportFailed: 'watch, --wait, try --run: the report failed',
  suspect: 'watch, --wait, try: none of the first items is valid; the file or the schema is probably wrong',
};
