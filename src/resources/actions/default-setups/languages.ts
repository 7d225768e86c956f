import type { RepositoryRow } from '#access/viewer.ts';
import type { Needs, Scope } from '#endpoint/scope.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRef } from '#git/refs/refs.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { listWorkflowFiles } from '#resources/actions/workflows/index.ts';
import { languagesOf } from '#resources/code/contents/index.ts';
import {
  type AnalysedProduct,
  type ScannedLanguage,
  scannedLanguages,
} from '#resources/repositories/repository-security/index.ts';

/** The names that the statistics of a repository have for a language. Workflow files are found by their folders. */
const names: { readonly [Language in ScannedLanguage]: readonly string[] } = {
  actions: [],
  'c-cpp': ['C', 'C++'],
  csharp: ['C#'],
  go: ['Go'],
  'java-kotlin': ['Java', 'Kotlin'],
  'javascript-typescript': ['JavaScript', 'TypeScript', 'TSX', 'Vue', 'Svelte'],
  python: ['Python'],
  ruby: ['Ruby'],
  swift: ['Swift'],
};

type Repository = Pick<RepositoryRow, 'id' | 'default_branch'>;

/** The languages of a repository's default branch that analysers may know. */
export async function detectLanguages(scope: Scope, repository: Repository): Promise<ScannedLanguage[]> {
  const gitRepository = repoOf(scope.git, repository.id);
  if (!(await repositoryExists(gitRepository))) return [];
  const counted = await languagesOf(scope, repository);
  const tip = await findRef(gitRepository, branchRef(repository.default_branch));
  const hasWorkflows = tip !== undefined && (await listWorkflowFiles(gitRepository, tip.oid)).length > 0;
  return scannedLanguages.filter((language) =>
    language === 'actions' ? hasWorkflows : names[language].some((name) => Object.hasOwn(counted, name)),
  );
}

type Setup = { readonly product: AnalysedProduct; readonly languages: readonly ScannedLanguage[] | null };

/** The languages that a setup analyses: the chosen ones, or all of the default branch. A language needs an analyser. */
export async function analysedLanguages(
  scope: Scope & Needs<'analysers'>,
  repository: Repository,
  { product, languages }: Setup,
): Promise<ScannedLanguage[]> {
  const analysers = scope.services.analysers[product];
  // Detecting languages may read the whole default branch.
  if (analysers.size === 0) return [];
  return (languages ?? (await detectLanguages(scope, repository))).filter((language) => analysers.has(language));
}
