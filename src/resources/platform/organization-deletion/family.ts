import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { removeDeleted } from './jobs.ts';

export const organizationDeletion = family({ name: 'organization-deletion', endpoints: [endpoints], jobs: [removeDeleted] });
