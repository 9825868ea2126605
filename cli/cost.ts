/** `npm run cost -- [options]`: what a month costs, and from which size on Sluice is the cheaper design. */
import { PriceSheetError } from '../shared/cost/sheet.ts';
import { runCost, UsageError } from './cost/cost-command.ts';

try {
  console.log(runCost(process.argv.slice(2), process.env.SLUICE_PRICE_SHEET || '2026'));
} catch (error: unknown) {
  if (!(error instanceof UsageError || error instanceof PriceSheetError)) throw error;
  console.error(`${error.message}\n\nnpm run cost -- --help lists the options.`);
  process.exitCode = 2;
}
