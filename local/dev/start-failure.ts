/** Stack frames that show how a file was loaded, not what is wrong in it. */
const FRAME_OF_HOST = /^\s+at .*(node:internal|functions-local|process\.processTicks|ModuleJob)/;
const BEGINNING = /^.*?The host could not start: /;

/**
 * Returns the lines of a failed start that show what is wrong and where. `message` is that of the ProcessStartError,
 * `copy` the folder in which the app was started. Files are shown relative to the repository.
 */
export function describeStartFailure(message: string, copy: string): string[] {
  const lines = message.split('\n').map((line) => line.replace(/^ {2}/, ''));
  const first = lines.findIndex((line) => BEGINNING.test(line));
  const [summary = '', ...details] = lines.slice(Math.max(first, 0));
  // The summary is the error's message, which the details repeat after the position.
  const useful = details.filter((line) => line.trim() !== '' && !FRAME_OF_HOST.test(line));
  const shown = first >= 0 && useful.length > 0 ? useful : [summary.replace(BEGINNING, ''), ...useful];
  const prefix = copy.replaceAll('\\', '/');
  return shown.map((line) =>
    line
      .replaceAll('\\', '/')
      .replaceAll(`file://${prefix}/`, '')
      .replaceAll(`file:///${prefix}/`, '')
      .replaceAll(`${prefix}/`, ''),
  );
}
