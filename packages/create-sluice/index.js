#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createApp } from './src/create-app.js';

const USAGE = `Usage: npm create sluice FOLDER [-- --from SAMPLE]
  FOLDER          the folder of the new app; its last part is the name of the app
  --from SAMPLE   a file with items (.csv, .ndjson, .json and others): makes the first workload from it, instead of an example
  --no-install    write the files only; not together with --from
  --packages DIR  install the packages of Sluice from the tarballs in DIR, instead of from the registry
  --help`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      'no-install': { type: 'boolean' },
      packages: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [folder, ...more] = positionals;
  if (values.help) console.log(USAGE);
  else if (folder === undefined || more.length > 0) throw new Error(`Expected one FOLDER.\n${USAGE}`);
  else
    await createApp(folder, {
      from: values.from,
      isInstalled: !values['no-install'],
      packages: values.packages,
      print: console.log,
    });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
