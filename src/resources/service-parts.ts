import type { CoreServices, FamilyServices, FamilySettings } from '#endpoint/services.ts';
import type { RuleEvaluators } from './code/ref-rules/index.ts';

/** What families make their services of. */
export type ServiceParts = {
  readonly settings: FamilySettings;
  readonly services: CoreServices;
  /** How many connections to PostgreSQL the process has for requests. */
  readonly connections: number;
  readonly ruleEvaluators: RuleEvaluators;
};

/** Makes services, each once when the server starts. */
export type ServiceMakers = {
  readonly [Name in keyof FamilyServices]?: (parts: ServiceParts) => FamilyServices[Name] | Promise<FamilyServices[Name]>;
};
