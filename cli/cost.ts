/** `npm run cost -- [options]`: the idle bill of a deployment, what a month costs, and from which size on Sluice is cheaper. */
import { PriceSheetError } from '../shared/cost/sheet.ts';
import { runCost } from './cost/cost-command.ts';
import { UsageError } from './errors.ts';

try {
  console.log(runCost(process.argv.slice(2), process.env.SLUICE_PRICE_SHEET || '2026'));
} catch (error: unknown) {
  if (!(error instanceof UsageError || error instanceof PriceSheetError)) throw error;
  console.error(`${error.message}\n\nnpm run cost -- --help lists the options.`);
  process.exitCode = 2;
}
