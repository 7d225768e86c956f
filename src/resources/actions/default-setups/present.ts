import type { Needs, Scope } from '#endpoint/scope.ts';
import { timestamp } from '#lib/time.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import {
  type AnalysedProduct,
  qualityLanguages,
  type ScannedLanguage,
} from '#resources/repositories/repository-security/index.ts';
import { analysedLanguages } from './languages.ts';
import type { CodeQualitySetup, CodeScanningSetup } from './schemas.ts';
import { findSetup, type SetupRow } from './store.ts';

type SetupScope = Scope & Needs<'analysers'>;

/** The fields of both products. A setup that isn't configured shows the languages that it would analyse. */
async function commonFields(scope: SetupScope, repo: RepositoryWithOwner, product: AnalysedProduct, row: SetupRow | undefined) {
  return {
    state: row ? ('configured' as const) : ('not-configured' as const),
    languages: row?.languages ?? (await analysedLanguages(scope, repo, { product, languages: null })),
    runner_type: row?.runner_type ?? null,
    runner_label: row?.runner_label ?? null,
    updated_at: row ? timestamp(row.updated_at) : null,
    schedule: row ? ('weekly' as const) : null,
  };
}

export async function presentScanningSetup(scope: SetupScope, repo: RepositoryWithOwner): Promise<CodeScanningSetup> {
  const row = await findSetup(scope.db, repo.id, 'code_scanning');
  const { languages, ...fields } = await commonFields(scope, repo, 'code_scanning', row);
  return {
    ...fields,
    languages: [...languages],
    query_suite: row?.query_suite ?? 'default',
    threat_model: row?.threat_model ?? 'remote',
  };
}

export async function presentQualitySetup(scope: SetupScope, repo: RepositoryWithOwner): Promise<CodeQualitySetup> {
  const row = await findSetup(scope.db, repo.id, 'code_quality');
  const { languages, ...fields } = await commonFields(scope, repo, 'code_quality', row);
  return { ...fields, languages: languages.filter(isOfQuality), ai_findings_option: row ? 'disabled' : null };
}

const isOfQuality = (language: ScannedLanguage): language is (typeof qualityLanguages)[number] =>
  qualityLanguages.some((known) => known === language);
