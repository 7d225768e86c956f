import type { ServiceParts } from '#resources/service-parts.ts';
import type { RefRules } from './evaluator.ts';

declare module '#endpoint/services.ts' {
  interface FamilyServices {
    /** Judges the rules on refs. */
    readonly refRules: RefRules;
  }
}

export const makeRefRules = ({ services: { url, secrets }, ruleEvaluators }: ServiceParts): RefRules => ({
  evaluators: ruleEvaluators,
  host: url && new URL(url).hostname,
  secrets,
});
