import { readFile } from 'node:fs/promises';
import { StartupError } from '#lib/startup-error.ts';
import { findSku } from './skus.ts';

/** The cost of a unit of each SKU, in US dollars. SKUs that aren't listed are free. */
export type Prices = ReadonlyMap<string, number>;

const highestPrice = 1_000_000;

/**
 * Reads a file of prices: a JSON object of prices by SKU, such as `{"actions_linux_4_core": 0.012}`.
 * @throws StartupError with the file and the problem
 */
export async function readPrices(file: string | undefined): Promise<Prices> {
  if (file === undefined) return new Map();
  const unusable = (what: string): StartupError => new StartupError(`The prices in ${file} can't be used: ${what}`);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unusable(error.code === 'ENOENT' ? 'there is no such file' : error.message);
  });
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unusable('it is not a JSON object');
  const prices = new Map<string, number>();
  for (const [sku, price] of Object.entries(value)) {
    if (!findSku(sku)) throw unusable(`'${sku}' is nothing that is counted`);
    if (typeof price !== 'number' || !(price >= 0 && price <= highestPrice))
      throw unusable(`the price of '${sku}' must be a number from 0 to ${highestPrice}`);
    prices.set(sku, price);
  }
  return prices;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // valid JSON is never undefined
  }
}
