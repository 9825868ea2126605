import { resolve } from 'node:path';
import type { Command } from 'commander';
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
For a local stack, reads the logs of its instances in .sluice/ of this folder or of a parent folder, or in the folder given
with --logs. For an app on Azure, queries its Log Analytics workspace as the signed-in user (az login), who needs the role
Log Analytics Reader. The id of the workspace comes from --workspace, SLUICE_WORKSPACE or the profile. Log lines appear in the
workspace after some minutes.

Examples:
  sluice logs <id>
  sluice logs <id> --json | jq -r '.lines[] | select(.event == "handler") | .message'
  sluice logs <id> --workspace $(az monitor log-analytics workspace list --query '[0].customerId' -o tsv)`;

/** `sluice logs ID`. */
export function addLogs(program: Command, act: Act): void {
  program
    .command('logs')
    .summary('print the log lines about a batch')
    .description(
      'Prints the log lines that contain the id of a batch, oldest first: those of its handlers and of the pipeline.',
    )
    .argument('<id>', 'the batch')
    .option('--logs <folder>', 'local stack: the folder that contains host-1.log')
    .option('--workspace <id>', 'app on Azure: the id of its Log Analytics workspace (SLUICE_WORKSPACE)')
    .option('--limit <n>', 'maximum number of lines; older ones are omitted', whole(1, 30_000), 1_000)
    .addHelpText('after', HELP)
    .action(act(logs, ['table', 'json', 'csv']));
}

const logs: Action<[string, LogsOptions]> = async (session, id, options) => {
  if (!isBatchId(id)) throw new CliError(`"${id}" is not the id of a batch.`, { exitCode: EXIT.notFound });
  const log = await readLog(session, id, options);
  const { source, lines, isCut } = log;
  if (session.settings.output === 'csv') session.list(log, { entries: lines, columns: LOG_COLUMNS });
  else session.answer({ batch: id, source, isCut, lines }, () => lines.map(describeLogLine));
  if (lines.length === 0) session.inform(`No lines about ${id} in ${source}.`);
  if (isCut) session.inform(`Only the newest ${formatCount(lines.length)} lines are shown; increase --limit for more.`);
  return EXIT.done;
};

async function readLog({ io, settings }: Session, batch: string, options: LogsOptions): Promise<BatchLog> {
  const { logs: folder, limit } = options;
  if (folder !== undefined) {
    if (options.workspace !== undefined) throw new UsageError('--logs: cannot be combined with --workspace');
    return readLocalLog(await localLogsIn(resolve(io.folder, folder)), batch, limit);
  }
  const isLocal = options.workspace === undefined && isLoopback(settings.url);
  const files = isLocal ? await findLocalLogs(io.folder) : [];
  if (files.length > 0) return readLocalLog(files, batch, limit);
  const workspace = options.workspace ?? settings.workspace;
  if (workspace !== undefined) return readWorkspaceLog(io, { workspace, batch, limit });
  throw new UsageError(
    isLocal
      ? `logs: found no log of a local stack in .sluice of ${io.folder} or of its parent folders`
      : `logs: expected --workspace or SLUICE_WORKSPACE, because the logs of ${settings.url} are in a Log Analytics workspace`,
    {
      hint: isLocal
        ? 'Give the folder that contains host-1.log with --logs; npm start prints the folder of the stack.'
        : 'az monitor log-analytics workspace list shows the id as customerId.',
    },
  );
}
