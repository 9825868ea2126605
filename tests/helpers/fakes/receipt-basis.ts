import { readPriceSheet } from '../../../shared/cost/sheet.ts';
import type { ReceiptBasis } from '../../../shared/http/batches/view/receipt-view.ts';

/** The basis of receipts in tests: the newest sheet, and the backend that is deployed by default. */
export const BASIS: ReceiptBasis = { prices: readPriceSheet('2026'), backend: 'azureStorage', queuesOf: () => 1 };
