/** `npm run cost`: the idle bill, a month, and the break-even against other designs; `import-prices` creates a price sheet. */

import { UsageError } from '../../cli/process/errors.ts';
import { PriceSheetError } from '../../shared/cost/sheet.ts';
import { runCost } from './command/cost-command.ts';
import { runImportPrices } from './command/import-prices-command.ts';
import { RetailPricesError } from './retail/retail-answer.ts';

const args = process.argv.slice(2);
try {
  const text =
    args[0] === 'import-prices'
      ? runImportPrices(args.slice(1), new Date().toISOString().slice(0, 10))
      : runCost(args, process.env.SLUICE_PRICE_SHEET || '2026');
  console.log(text);
} catch (error: unknown) {
  if (!(error instanceof UsageError || error instanceof PriceSheetError || error instanceof RetailPricesError))
    throw error;
  console.error(`${error.message}\n\nnpm run cost -- [import-prices] --help lists the options.`);
  process.exitCode = 2;
}
