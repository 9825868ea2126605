import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { isBatchId } from '../../../shared/contract/names.ts';
import { isLoopback } from '../../api/client.ts';
import { findLocalLogs, localLogsIn, readLocalLog } from '../../logs/local-log.ts';
import { type BatchLog, describeLogLine, LOG_COLUMNS } from '../../logs/log-line.ts';
import { readWorkspaceLog } from '../../logs/workspace-log.ts';
import { whole } from '../../options.ts';
import { CliError, UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action, Session } from '../../session.ts';
import { formatCount } from '../../text/format.ts';

interface LogsOptions {
  logs?: string;
  workspace?: string;
  limit: number;
}

const HELP = `
For a local stack, reads the logs of its instances in .sluice/ of this folder or of one above it, or in the folder that --logs
names. For an app on Azure, queries its Log Analytics workspace as the user who is signed in (az login), who needs the role
Log Analytics Reader; the id of the workspace is --workspace, SLUICE_WORKSPACE, or that of the profile. A line takes some
minutes to get there.

Examples:
  sluice logs <id>
  sluice logs <id> --json | jq -r '.lines[] | select(.event == "handler") | .message'
  sluice logs <id> --workspace $(az monitor log-analytics workspace list --query '[0].customerId' -o tsv)`;

/** `sluice logs ID`. */
export function addLogs(program: Command, act: Act): void {
  program
    .command('logs')
    .summary('what the app and the handlers logged about a batch')
    .description('Prints the log lines that name a batch, oldest first: those of its handlers and of the pipeline.')
    .argument('<id>', 'the batch')
    .option('--logs <folder>', 'of a local stack: the folder with host-1.log')
    .option('--workspace <id>', 'of an app on Azure: its Log Analytics workspace (SLUICE_WORKSPACE)')
    .addOption(new Option('--limit <n>', 'most lines, the newest').argParser(whole(1, 30_000)).default(1_000))
    .addHelpText('after', HELP)
    .action(act(logs, ['table', 'json', 'csv']));
}

const logs: Action<[string, LogsOptions]> = async (session, id, options) => {
  if (!isBatchId(id)) throw new CliError(`"${id}" is no id of a batch.`, { exitCode: EXIT.notFound });
  const log = await readLog(session, id, options);
  const { source, lines, isCut } = log;
  if (session.settings.output === 'csv') session.list(log, { entries: lines, columns: LOG_COLUMNS });
  else session.answer({ batch: id, source, isCut, lines }, () => lines.map(describeLogLine));
  if (lines.length === 0) session.inform(`No line about ${id} in ${source}.`);
  if (isCut) session.inform(`Only the newest ${formatCount(lines.length)} lines; --limit shows more.`);
  return EXIT.done;
};

async function readLog({ io, settings }: Session, batch: string, options: LogsOptions): Promise<BatchLog> {
  const { logs: folder, limit } = options;
  if (folder !== undefined) {
    if (options.workspace !== undefined) throw new UsageError('--logs: does not go with --workspace');
    return readLocalLog(await localLogsIn(resolve(io.folder, folder)), batch, limit);
  }
  const isLocal = options.workspace === undefined && isLoopback(settings.url);
  const files = isLocal ? await findLocalLogs(io.folder) : [];
  if (files.length > 0) return readLocalLog(files, batch, limit);
  const workspace = options.workspace ?? settings.workspace;
  if (workspace !== undefined) return readWorkspaceLog(io, { workspace, batch, limit });
  throw new UsageError(
    isLocal
      ? `logs: found no log of a local stack in .sluice of ${io.folder} or of a folder above it`
      : `logs: expected --workspace or SLUICE_WORKSPACE, as the log of ${settings.url} is in a Log Analytics workspace`,
    {
      hint: isLocal
        ? '--logs names the folder that has host-1.log; npm start prints where the stack is.'
        : 'Its id is what az monitor log-analytics workspace list shows as customerId.',
    },
  );
}
