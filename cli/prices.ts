/** `npm run prices -- <file>...`: makes a price sheet of saved answers of the Azure Retail Prices API. */
import { RetailPricesError } from '../shared/cost/retail/import-prices.ts';
import { PriceSheetError } from '../shared/cost/sheet.ts';
import { UsageError } from './errors.ts';
import { runPrices } from './prices/prices-command.ts';

try {
  console.log(runPrices(process.argv.slice(2), new Date().toISOString().slice(0, 10)));
} catch (error: unknown) {
  if (!(error instanceof UsageError || error instanceof PriceSheetError || error instanceof RetailPricesError))
    throw error;
  console.error(`${error.message}\n\nnpm run prices -- --help lists the options.`);
  process.exitCode = 2;
}
