import { unique } from '#lib/collections.ts';
import { invalid, unprocessable } from '#lib/refusal.ts';
import { providerPatterns } from './detection/patterns.ts';
import { type AlertQuery, resolutions } from './schemas.ts';
import type { AlertFilter } from './store.ts';

/** The words of a list that is separated by commas; undefined where there are none. */
function wordsOf(text: string | undefined): string[] | undefined {
  const words = unique((text ?? '').split(',').map((word) => word.trim())).filter((word) => word !== '');
  return words.length === 0 ? undefined : words;
}

function wordsAmong(field: string, text: string | undefined, known: readonly string[]): string[] | undefined {
  const words = wordsOf(text);
  const unknown = words?.find((word) => !known.includes(word));
  if (unknown !== undefined) throw invalid('SecretScanningAlert', field, 'invalid', `${field} can't be ${unknown}`);
  return words;
}

const typesOf = (slugs: readonly string[]): string[] =>
  providerPatterns.flatMap(({ type, provider }) => (slugs.includes(provider?.slug ?? '') ? [type] : []));

/** What a request wants of a list of alerts. @throws Refusal 422 where it names and excludes types at the same time */
export function filterOf(query: AlertQuery): AlertFilter {
  const { state, assignee, sort, direction } = query;
  const [types, withoutTypes] = [wordsOf(query.secret_type), wordsOf(query.exclude_secret_types)];
  const [providers, withoutProviders] = [wordsOf(query.providers), wordsOf(query.exclude_providers)];
  if (types && withoutTypes) throw unprocessable('secret_type and exclude_secret_types can’t be combined.');
  if (providers && withoutProviders) throw unprocessable('providers and exclude_providers can’t be combined.');
  const ofProviders = providers && typesOf(providers);
  const wanted = types && ofProviders ? types.filter((type) => ofProviders.includes(type)) : (types ?? ofProviders);
  const unwanted = [...(withoutTypes ?? []), ...typesOf(withoutProviders ?? [])];
  return {
    state,
    types: wanted?.length === 0 ? [''] : wanted,
    withoutTypes: unwanted.length === 0 ? undefined : unwanted,
    resolutions: wordsAmong('resolution', query.resolution, [...resolutions, 'pattern_edited', 'pattern_deleted']),
    validities: wordsAmong('validity', query.validity, ['active', 'inactive', 'unknown']),
    assignee,
    isPublic: query.is_publicly_leaked,
    isMultiRepo: query.is_multi_repo,
    isBypassed: query.is_bypassed,
    sort,
    direction,
  };
}
