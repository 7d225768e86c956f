import type { Page } from '#console/page.ts';
import { advisoriesPage, advisoryPage, globalAdvisoriesPage, globalAdvisoryPage } from './advisories.ts';
import { codeScanningAlertPage, codeScanningPage } from './code-scanning.ts';
import { dependencyAlertPage, dependencyAlertsPage } from './dependency-alerts.ts';
import { securityPage } from './overview.ts';
import { secretAlertPage, secretScanningPage } from './secret-scanning.ts';

export const securityPages: readonly Page[] = [
  securityPage,
  advisoriesPage,
  advisoryPage,
  dependencyAlertsPage,
  dependencyAlertPage,
  codeScanningPage,
  codeScanningAlertPage,
  secretScanningPage,
  secretAlertPage,
  globalAdvisoriesPage,
  globalAdvisoryPage,
];
