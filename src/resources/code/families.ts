import { branchNames } from './branch-names/family.ts';
import { branchProtection } from './branch-protection/family.ts';
import { branches } from './branches/family.ts';
import { checks } from './checks/family.ts';
import { codeSecurity } from './code-security/family.ts';
import { commitStatuses } from './commit-statuses/family.ts';
import { commitVerification } from './commit-verification/family.ts';
import { commits } from './commits/family.ts';
import { contents } from './contents/family.ts';
import { gitData } from './git-data/family.ts';
import { pushes } from './pushes/family.ts';
import { refRules } from './ref-rules/family.ts';
import { repositoryRules } from './repository-rules/family.ts';
import { rulesets } from './rulesets/family.ts';
import { secretScanning } from './secret-scanning/family.ts';
import { sourcePages } from './source-pages/family.ts';

/**
 * The families of the product *code* (what lies in Git, and the rules on its refs), in their order: a family may import only
 * families above it.
 */
export const codeFamilies = [
  commitVerification,
  commits,
  secretScanning,
  codeSecurity,
  checks,
  branchNames,
  rulesets,
  branchProtection,
  commitStatuses,
  refRules,
  repositoryRules,
  pushes,
  gitData,
  branches,
  contents,
  sourcePages,
] as const;
