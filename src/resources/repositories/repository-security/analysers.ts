// The analysers of code that the operator names: reusable workflows in repositories of this server.
import { readFile } from 'node:fs/promises';
import { StartupError } from '#lib/startup-error.ts';
import type { ServiceParts } from '#resources/service-parts.ts';
import { isWorkflowPath } from '#workflow-files/file.ts';
import { namedUse } from '#workflow-files/uses.ts';
import { type AnalysedProduct, analysedLanguages, analysedProducts, type ScannedLanguage } from './languages.ts';

/** The analysers of each product by language, each as `owner/repo/path@ref`. */
export type Analysers = { readonly [Product in AnalysedProduct]: ReadonlyMap<ScannedLanguage, string> };

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** The file of analysers. If omitted, there are none. */
    analysers?: string | undefined;
  }
  interface FamilyServices {
    /** The analysers for default setups. */
    readonly analysers: Analysers;
  }
}

export const makeAnalysers = ({ settings }: ServiceParts): Promise<Analysers> => readAnalysers(settings.analysers);

/**
 * Reads a file of analysers: a JSON object by product and language, such as
 * `{"code_scanning": {"python": "acme/analysers/.github/workflows/bandit.yml@v1"}}`.
 * @throws StartupError with the file and the problem
 */
export async function readAnalysers(file: string | undefined): Promise<Analysers> {
  if (file === undefined) return { code_scanning: new Map(), code_quality: new Map() };
  const unusable = (what: string): StartupError => new StartupError(`The analysers in ${file} can't be used: ${what}`);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unusable(error.code === 'ENOENT' ? 'there is no such file' : error.message);
  });
  const products = parse(text);
  if (!isObject(products)) throw unusable('it is not a JSON object');
  const unknown = Object.keys(products).find((name) => !analysedProducts.some((product) => product === name));
  if (unknown !== undefined) throw unusable(`'${unknown}' is neither ${analysedProducts.join(' nor ')}`);
  const analysersOf = (product: AnalysedProduct): Map<ScannedLanguage, string> => {
    const named = products[product] ?? {};
    if (!isObject(named)) throw unusable(`'${product}' is not an object of languages`);
    return new Map(
      Object.entries(named).map(([name, workflow]) => {
        const language = analysedLanguages[product].find((known) => known === name);
        if (!language) throw unusable(`${product} has no language '${name}', only ${analysedLanguages[product].join(', ')}`);
        if (typeof workflow !== 'string' || !isWorkflowPath(namedUse(workflow)?.path ?? ''))
          throw unusable(`the analyser of ${name} must be a workflow, as owner/repo/.github/workflows/file.yml@ref`);
        return [language, workflow];
      }),
    );
  };
  return { code_scanning: analysersOf('code_scanning'), code_quality: analysersOf('code_quality') };
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // valid JSON is never undefined
  }
}

/** What refusals say about a product without an analyser. */
export const analysersHint = 'The operator of the server names analysers by HEARTH_ANALYSERS.';
