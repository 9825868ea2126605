/** Creates docs/cli.md: the part above the marker is kept, the rest is the help of the commands. */
import type { Command } from 'commander';
import { createProgram } from '../../cli/program.ts';

/** The page, relative to the root of the repository. */
export const PAGE = 'docs/cli.md';
const MARKER = '<!-- From here on, `npm run generate` writes the help of the commands. -->';
const HELP_WIDTH = 110;

/** Returns the page with the present help. Throws an Error if the current page has no marker. */
export function cliPage(current: string): string {
  const end = current.indexOf(MARKER);
  if (end < 0) throw new Error(`${PAGE} has no line "${MARKER}".`);
  const program = createProgram(() => async () => {}, { out: () => {}, err: () => {} });
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup());
  const sections = [...groups].flatMap(([group, commands]) => [
    `## ${group.replace(/:$/, '')}`,
    ...commands.map((command) => `### ${command.name()}\n\n${blockOf(command)}`),
  ]);
  return `${current.slice(0, end)}${MARKER}\n\n## sluice\n\n${blockOf(program)}\n\n${sections.join('\n\n')}\n`;
}

/** Returns the help of a command as a block. The options of every command are only in the help of the program. */
function blockOf(command: Command): string {
  let text = '';
  command
    .configureHelp({ showGlobalOptions: false, helpWidth: HELP_WIDTH })
    .configureOutput({
      writeOut: (piece) => {
        text += piece;
      },
    })
    .outputHelp();
  return `\`\`\`text\n${text.trim().replaceAll(/\n{3,}/g, '\n\n')}\n\`\`\``;
}
