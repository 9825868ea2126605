import { readPriceSheet } from '../../../shared/cost/sheet.ts';
import type { ReceiptBasis } from '../../../shared/http/batches/view/receipt-view.ts';

/** What receipts are made with in tests: the newest sheet, and the backend that is deployed by default. */
export const BASIS: ReceiptBasis = { prices: readPriceSheet('2026'), backend: 'azureStorage' };
