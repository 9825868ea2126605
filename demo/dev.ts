/** `npm run dev`: the development loop on this app, with generated transactions if no file is given. */
import { join } from 'node:path';
import { devOptions } from '../cli/app-commands.ts';
import { readDevArguments } from '../local/arguments.ts';
import { runCommand } from '../local/command.ts';
import { develop } from '../local/dev/develop.ts';
import { ROOT } from './root.ts';
import { generatedUsage } from './start.ts';

/** Small enough for a result within a second: the user tests code, not throughput. */
const GENERATED = { workload: 'billing', items: { billing: '1000' } };
const USAGE = `  --items N       transactions to generate without FILE; default 1000
  --seed S        seed of the generator; default 1
`;

runCommand(
  {
    root: () => ROOT,
    usage: `Usage: npm run dev [-- [FILE] [options]]\n${devOptions(USAGE)}`,
    read: (args, folder) => readDevArguments(args, folder, GENERATED),
    run: async (options, folder, interrupted) =>
      develop({
        ...{ root: ROOT, options, folder, interrupted },
        input: {
          file: options.file ?? (await generatedUsage(options, folder)),
          workload: options.workload ?? GENERATED.workload,
        },
        project: join(ROOT, 'local/dev/tsconfig.json'),
      }),
  },
  process.argv.slice(2),
);
