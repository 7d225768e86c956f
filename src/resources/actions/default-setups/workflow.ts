// The workflow file of a default setup. The server makes it: each of its jobs calls the analyser of a language.
import type { AnalysedProduct, ScannedLanguage } from '#resources/repositories/repository-security/index.ts';
import type { SetupRow } from './store.ts';

/** The names of the workflows, as their paths have them: `dynamic/code-scanning/default-setup`. */
export const workflowNames: { readonly [Product in AnalysedProduct]: string } = {
  code_scanning: 'code-scanning/default-setup',
  code_quality: 'code-quality/setup',
};

/** The names of the products for people. */
export const titles: { readonly [Product in AnalysedProduct]: string } = {
  code_scanning: 'Code scanning',
  code_quality: 'Code quality',
};

/** The labels of runners where a setup names none. */
export const defaultLabels: { readonly [Product in AnalysedProduct]: string } = {
  code_scanning: 'code-scanning',
  code_quality: 'code-quality',
};

/** The category of a language's results. Each language of a product has its own, so that their results stay apart. */
const categoryOf = (product: AnalysedProduct, language: ScannedLanguage): string =>
  product === 'code_scanning' ? `/language:${language}` : `/quality/language:${language}`;

/** What an analyser may take as inputs. Each gets those that it declares. */
export const inputsOf = (
  {
    product,
    query_suite,
    threat_model,
    runner_label,
  }: Pick<SetupRow, 'product' | 'query_suite' | 'threat_model' | 'runner_label'>,
  language: ScannedLanguage,
): Readonly<Record<string, string>> => ({
  language,
  category: categoryOf(product, language),
  ...(runner_label === null ? {} : { runner: runner_label }),
  ...(product === 'code_scanning' ? { query_suite, threat_model } : {}),
});

/** The call of an analyser for a language. */
export type AnalyserCall = {
  readonly language: ScannedLanguage;
  readonly uses: string;
  readonly inputs: Readonly<Record<string, string>>;
};

type Options = {
  readonly product: AnalysedProduct;
  readonly calls: readonly AnalyserCall[];
  /** The names of private registries for the jobs. */
  readonly registries: readonly string[];
  /** Whether a newer run for the same ref cancels the run. */
  readonly isReplaceable: boolean;
};

/** The workflow file as JSON, which is YAML too. Analysers narrow the permissions of their jobs further, if they declare any. */
export function analysisWorkflow({ product, calls, registries, isReplaceable }: Options): string {
  const file = {
    name: titles[product],
    on: 'workflow_dispatch',
    permissions: { contents: 'read', 'security-events': 'write' },
    ...(isReplaceable && {
      concurrency: { group: `${workflowNames[product]} \${{ github.ref }}`, 'cancel-in-progress': true },
    }),
    ...(registries.length > 0 ? { env: { PRIVATE_REGISTRIES: registries.join(', ') } } : {}),
    jobs: Object.fromEntries(
      calls.map(({ language, uses, inputs }) => [
        language,
        { name: `Analyze (${language})`, uses, with: inputs, secrets: 'inherit' },
      ]),
    ),
  };
  return JSON.stringify(file, null, 2);
}

/** A file that only calls an analyser, to read what it declares. */
export const probeWorkflow = (uses: string): string => JSON.stringify({ on: 'workflow_dispatch', jobs: { analysis: { uses } } });
