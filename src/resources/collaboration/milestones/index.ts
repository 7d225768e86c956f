export { insertImportedMilestones } from './import-store.ts';
export { milestone } from './path-resources.ts';
export { presentMilestone, presentMilestones } from './present.ts';
export { Milestone } from './schemas.ts';
export {
  counted as countedMilestones,
  findMilestone,
  findMilestoneTitled,
  listMilestonesAfter,
  loadMilestones,
  type MilestoneRow,
  milestoneRows,
} from './store.ts';
