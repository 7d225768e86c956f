import type { Page } from '#console/page.ts';
import { communityPage, dependenciesPage } from './facts.ts';
import { invitationsPage } from './invitations.ts';
import { labelsPage } from './labels.ts';
import { overviewPage } from './overview.ts';
import { contributorsPage, forksPage, stargazersPage, watchersPage } from './people.ts';
import { latestReleasePage, releaseByIdPage, releasePage, releasesPage } from './releases.ts';

export const repositoriesPages: readonly Page[] = [
  overviewPage,
  labelsPage,
  releasesPage,
  latestReleasePage,
  releasePage,
  releaseByIdPage,
  stargazersPage,
  watchersPage,
  forksPage,
  contributorsPage,
  dependenciesPage,
  communityPage,
  invitationsPage,
];
