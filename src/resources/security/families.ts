import { codeScanning } from './code-scanning/family.ts';
import { dependencyAlerts } from './dependency-alerts/family.ts';
import { dependencyBot } from './dependency-bot/family.ts';
import { dependencyGraph } from './dependency-graph/family.ts';
import { repositoryAdvisories } from './repository-advisories/family.ts';

/**
 * The families of the product *security* (alerts, advisories, and what finds them), in order: a family may import only families
 * above it.
 */
export const securityFamilies = [dependencyGraph, dependencyAlerts, repositoryAdvisories, dependencyBot, codeScanning] as const;
