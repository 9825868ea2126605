/** `npm run smoke -- --url https://<app>.azurewebsites.net`: submits a small batch to an app and waits for its report. */
import { processIo } from '../cli/process/io.ts';
import { runSmoke } from './smoke/run-smoke.ts';

process.exitCode = await runSmoke(process.argv.slice(2), processIo());
