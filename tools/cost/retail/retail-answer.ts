/** Reads saved responses of the Azure Retail Prices API. */
import { z } from 'zod';

const itemSchema = z.object({
  currencyCode: z.string().optional(),
  /** The number of units from which the price applies. If absent, it applies from the first unit. */
  tierMinimumUnits: z.number().nonnegative().default(0),
  retailPrice: z.number().nonnegative(),
  armRegionName: z.string(),
  meterName: z.string(),
  productName: z.string(),
  skuName: z.string(),
  serviceName: z.string(),
  unitOfMeasure: z.string(),
  type: z.string(),
  effectiveStartDate: z.string().optional(),
});
/** The price of one meter in one region and tier. */
export type RetailItem = z.infer<typeof itemSchema>;

const answerSchema = z.object({
  BillingCurrency: z.string(),
  Items: z.array(itemSchema),
  NextPageLink: z.string().nullish(),
});
/** A saved response: one page. */
export type RetailAnswer = z.infer<typeof answerSchema>;

/** A file is not a response of the API, or responses do not fit together; the message names the file. */
export class RetailPricesError extends Error {
  override name = 'RetailPricesError';
}

/**
 * Checks a saved response; `where` identifies it in errors.
 * @throws RetailPricesError
 */
export function toRetailAnswer(content: unknown, where: string): RetailAnswer {
  const parsed = answerSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join(' > ') || '(top)'}: ${issue.message}`);
  throw new RetailPricesError(
    [`${where} is not a saved response of the Azure Retail Prices API:`, ...problems.slice(0, 5)].join('\n'),
    { cause: parsed.error },
  );
}
